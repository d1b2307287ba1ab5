import assert from "node:assert/strict";
import { backupProblemsOf, serverProblemsOf } from "./load_text.ts";

Deno.test("an unknown key is named with its place, its section and what was probably meant", () => {
  assert.deepEqual(serverProblemsOf('# a\n\n[server]\n  sockettPath = "/s"\n'), [
    'config.toml:4:3: unknown key "sockettPath" in [server], did you mean "socketPath"?',
  ]);
});

Deno.test("an unknown key that resembles nothing gets no suggestion", () => {
  assert.deepEqual(serverProblemsOf("[server]\ncolour = 1\n"), [
    'config.toml:2:1: unknown key "colour" in [server]',
  ]);
});

Deno.test("keys match in their exact case", () => {
  assert.deepEqual(serverProblemsOf("[server]\nPort = 1\n"), [
    'config.toml:2:1: unknown key "Port" in [server], did you mean "port"?',
  ]);
});

Deno.test("for a key of the other section, the message says where it belongs", () => {
  assert.deepEqual(serverProblemsOf("[server]\npageLimit = 1\n"), [
    'config.toml:2:1: unknown key "pageLimit" in [server]; it belongs in [backup]',
  ]);
});

Deno.test("the server stops at an unknown key in [backup], the backup at one in [server]", () => {
  assert.deepEqual(serverProblemsOf("[backup]\npageLimits = 1\n"), [
    'config.toml:2:1: unknown key "pageLimits" in [backup], did you mean "pageLimit"?',
  ]);
  assert.deepEqual(backupProblemsOf('[server]\nprt = 1\n[backup]\nsourceSocket = "s"\n'), [
    'config.toml:2:1: unknown key "prt" in [server], did you mean "port"?',
  ]);
});

Deno.test("an unknown section is named, and so is every key in it", () => {
  assert.deepEqual(serverProblemsOf('[sever]\nport = 1\n\n["x y"]\n[empty.inner]\n'), [
    "config.toml:1:2: unknown section [sever], did you mean [server]?",
    'config.toml:2:1: key "port" in unknown section [sever]',
    'config.toml:4:2: unknown section ["x y"]',
    "config.toml:5:2: unknown section [empty]",
    'config.toml:5:8: key "inner" in unknown section [empty]',
  ]);
});

Deno.test("a key outside any section is named, and the message says where it belongs", () => {
  assert.deepEqual(serverProblemsOf('port = 1\ndataDir = "d"\nsockettPath = "s"\nx = 1\n[server]\n'), [
    'config.toml:1:1: key "port" outside any section; it belongs in [server]',
    'config.toml:2:1: key "dataDir" outside any section; it belongs in [server] or [backup]',
    'config.toml:3:1: key "sockettPath" outside any section, did you mean "socketPath"?',
    'config.toml:4:1: key "x" outside any section',
  ]);
});

Deno.test("a section that is no table is rejected", () => {
  assert.deepEqual(serverProblemsOf("server = 1\n[[backup]]\npageLimit = 1\n"), [
    "config.toml:1:1: server must be a section, not 1",
    "config.toml:2:3: backup must be a section, not an array",
  ]);
});

Deno.test("a section below a section is an unknown key", () => {
  assert.deepEqual(serverProblemsOf("[server]\nport = 1\n[server.tls]\non = true\n"), [
    'config.toml:3:9: unknown key "tls" in [server]',
  ]);
});

Deno.test("unknown keys are found in dotted keys and inline tables too", () => {
  assert.deepEqual(serverProblemsOf("server.prot = 1\nbackup = { pageLimit = 1, page = 2 }\n"), [
    'config.toml:1:8: unknown key "prot" in [server], did you mean "port"?',
    'config.toml:2:27: unknown key "page" in [backup]',
  ]);
});

Deno.test("names that every object has are unknown keys like any other", () => {
  assert.deepEqual(serverProblemsOf("[server]\n__proto__ = 1\nconstructor = 2\n[toString]\n"), [
    'config.toml:2:1: unknown key "__proto__" in [server]',
    'config.toml:3:1: unknown key "constructor" in [server]',
    "config.toml:4:2: unknown section [toString]",
  ]);
});

Deno.test("a key with a line break is shown on one line", () => {
  assert.deepEqual(serverProblemsOf('[server]\n"a\\nb" = 1\n'), [
    'config.toml:2:1: unknown key "a\\nb" in [server]',
  ]);
});
