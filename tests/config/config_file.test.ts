import assert from "node:assert/strict";
import { ConfigError } from "../../src/config/config_error.ts";
import { loadServerSettings } from "../../src/config/load.ts";
import { loadServerText, serverProblemsOf, withConfigFile } from "./load_text.ts";

const env = (): undefined => undefined;

Deno.test("a file that --config names must exist", () => {
  assert.throws(
    () => loadServerSettings({ configPath: "/nowhere/at all.toml", env }),
    { name: "ConfigError", problems: ["/nowhere/at all.toml: cannot be read: there is no such file"] },
  );
});

Deno.test("config.toml in the working directory is read if it exists, and may be missing", () => {
  const before = Deno.cwd();
  const directory = Deno.makeTempDirSync();
  try {
    Deno.chdir(directory);
    assert.equal(loadServerSettings({ configPath: undefined, env }).settings.readPoolSize, 8);
    Deno.writeTextFileSync("config.toml", "[server]\nreadPoolSize = 3\n");
    assert.equal(loadServerSettings({ configPath: undefined, env }).settings.readPoolSize, 3);
    Deno.writeTextFileSync("config.toml", "[server]\nreadPoolSize = 0\n");
    assert.throws(() => loadServerSettings({ configPath: undefined, env }), {
      message: `${
        Deno.realPathSync(directory)
      }/config.toml:2:1: readPoolSize must be a whole number from 1 to 2147483647, not 0`,
    });
  } finally {
    Deno.chdir(before);
    Deno.removeSync(directory, { recursive: true });
  }
});

Deno.test("a directory is no configuration file", () => {
  const directory = Deno.makeTempDirSync();
  try {
    assert.throws(() => loadServerSettings({ configPath: directory, env }), (error) => {
      assert.ok(error instanceof ConfigError);
      assert.deepEqual(error.problems, [`${directory}: cannot be read: it is a directory`]);
      return true;
    });
  } finally {
    Deno.removeSync(directory);
  }
});

Deno.test("a TOML syntax error is reported with line and column, and does not quote the file", () => {
  const [problem, ...more] = serverProblemsOf('[server]\nauthToken = "secret\nport = 1\n');
  assert.match(problem!, /^config\.toml:2:\d+: not valid TOML: [^\n]+$/);
  assert.doesNotMatch(problem!, /secret/);
  assert.deepEqual(more, []);
  assert.deepEqual(serverProblemsOf("[server]\nport = 1\nport = 2\n"), [
    "config.toml:3:1: not valid TOML: Defining a key multiple times is invalid",
  ]);
});

Deno.test("a file that is not UTF-8 is rejected", () => {
  assert.deepEqual(serverProblemsOf(Uint8Array.of(0x23, 0xff, 0x0a)), ["config.toml: is not UTF-8 text"]);
});

Deno.test("an empty file, and one with empty sections only, give the defaults", () => {
  const defaults = loadServerText("").settings;
  assert.equal(defaults.maxEventSize, 65536);
  assert.deepEqual(loadServerText("[server]\n[backup]\n").settings, defaults);
});

Deno.test("a byte order mark does not move the columns", () => {
  assert.deepEqual(serverProblemsOf("\ufeffx = 1\n"), ['config.toml:1:1: key "x" outside any section']);
});

Deno.test("a file with a token that others may read gets a warning, one without a token does not", () => {
  const warnings = (text: string, permissions: number): readonly string[] =>
    withConfigFile(text, (configPath) => {
      Deno.chmodSync(configPath, permissions);
      return loadServerSettings({ configPath, env }).warnings.map((line) =>
        line.replaceAll(configPath, "FILE")
      );
    });
  const warning = ["FILE: contains a token, but its group or others may read it (chmod 600 FILE)"];
  assert.deepEqual(warnings('[server]\nauthToken = "t"', 0o640), warning);
  assert.deepEqual(warnings('[backup]\nsourceToken = "t"', 0o604), warning);
  assert.deepEqual(warnings('[server]\nauthToken = "t"', 0o600), []);
  const url = '[server]\nstorage = "postgres"\npostgresUrl = "postgresql://u:secret@h/d"';
  assert.deepEqual(warnings(url, 0o644), [warning[0]!.replace("token", "database URL")]);
  assert.deepEqual(warnings("[server]\nport = 1", 0o644), []);
});

Deno.test({
  name: "the configuration is read with no permission but --allow-read",
  permissions: { read: true },
  fn: () => {
    const configPath = new URL("../../config.example.toml", import.meta.url).pathname;
    assert.equal(loadServerSettings({ configPath, env }).settings.dataDir, `${Deno.cwd()}/data`);
  },
});
