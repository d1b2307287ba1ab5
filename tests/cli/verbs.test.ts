import assert from "node:assert/strict";
import { clientProgram } from "../../cli/client_program.ts";
import { backupProgram } from "../../cli/programs.ts";
import { backupOptions, here, noVerb, parsed, problems, restoreOptions } from "./parsed_flags.ts";

Deno.test("a verb may come before or after its flags, and takes only its own", () => {
  const expected = {
    verb: "restore",
    arguments: ["id"],
    groups: [],
    options: { ...restoreOptions, to: here("d"), force: true },
  };
  assert.deepEqual(parsed(backupProgram, "restore", "id", "--to", "d", "--force"), expected);
  assert.deepEqual(parsed(backupProgram, "--force", "--to=d", "restore", "id"), expected);
  assert.deepEqual(parsed(backupProgram, "--quiet", "--metrics-file", "list"), {
    ...noVerb,
    options: { ...backupOptions, quiet: true, metricsFile: here("list") },
  });
  assert.deepEqual(problems(backupProgram, "verify", "--forse", "--to", "d", "--quiet"), [
    'unknown flag "--forse" of verify',
    'unknown flag "--to" of verify; it belongs to restore',
    'unknown flag "--quiet" of verify; it belongs to keys',
  ]);
  assert.deepEqual(problems(backupProgram, "--all", "--jsn"), [
    'unknown flag "--all"; it belongs to verify',
    'unknown flag "--jsn", did you mean --json?',
  ]);
});

Deno.test("an unknown verb is named with what was probably meant, and with all that there are", () => {
  const verbs = "verbs are verify, list, restore, export, keys; " +
    "without one it copies the events of a running server into a separate database";
  assert.deepEqual(problems(backupProgram, "verfy", "--all"), [
    `unknown verb "verfy", did you mean verify? The ${verbs}`,
  ]);
  assert.deepEqual(problems(backupProgram, "bakcup"), [`unknown verb "bakcup"; the ${verbs}`]);
  assert.deepEqual(problems(backupProgram, ""), [`unknown verb ""; the ${verbs}`]);
});

Deno.test("a verb takes one argument at most, and only when it has one", () => {
  assert.deepEqual(problems(backupProgram, "verify", "a", "b"), ['unexpected argument "b"']);
  assert.deepEqual(problems(backupProgram, "verify", ""), ['unexpected argument ""']);
  assert.deepEqual(problems(backupProgram, "list", "a"), ['unexpected argument "a"']);
});

Deno.test("a verb has its own options and no others", () => {
  const line = parsed(backupProgram, "verify", "--all");
  assert.ok(line.verb === "verify");
  assert.equal(line.options.all, true);
  // @ts-expect-error it belongs to restore
  assert.equal(line.options.force, undefined);
});

Deno.test("flags behind the one that begins a group belong to the group, others to the verb", () => {
  const args = ["append", "--type", "t", "--tag", "a=1", "--if-none", "--tag", "b=2", "--tag", "b=3"];
  const line = parsed(clientProgram, ...args, "--payload", "1", "--if-none", "--type", "u", "--json");
  assert.ok(line.verb === "append");
  const { type, tag, payload, json } = line.options;
  assert.deepEqual({ type, tag, payload, json }, { type: "t", tag: ["a=1"], payload: "1", json: true });
  const none = { type: [], tag: [], meta: [], query: undefined, after: undefined };
  assert.deepEqual(line.groups, [{ ...none, tag: ["b=2", "b=3"] }, { ...none, type: ["u"] }]);
  assert.deepEqual(parsed(clientProgram, "append", "file").groups, []);
  assert.deepEqual(problems(clientProgram, "append", "--after", "1"), [
    'unknown flag "--after" of append before --if-none; it belongs behind it',
  ]);
  assert.deepEqual(problems(clientProgram, "append", "--if-none", "--after", "1", "--after", "2"), [
    "--after is given twice",
  ]);
  assert.deepEqual(problems(clientProgram, "append", "--if-none=yes"), ["--if-none takes no value"]);
});

Deno.test("arguments are taken by their place, and only those that are known", () => {
  const line = parsed(clientProgram, "projection", "--all", "delete", "course");
  assert.deepEqual(line.arguments, ["delete", "course"]);
  assert.deepEqual(problems(clientProgram, "projection", "drop"), [
    'unexpected argument "drop": it is one of get, delete',
  ]);
  assert.deepEqual(problems(clientProgram, "projection"), ["get or delete is missing"]);
  assert.deepEqual(problems(clientProgram), [
    "a verb is missing, one of read, append, head, types, stats, export, projection, consumers, subject, forget, health, whoami, verify, explore, completions",
  ]);
  const empty = parsed(clientProgram, "append", "--text", "");
  assert.equal(empty.verb === "append" && empty.options.text, "");
  assert.deepEqual(problems(clientProgram, "append", "--payload", ""), [
    "--payload needs a value: --payload <json>",
  ]);
});
