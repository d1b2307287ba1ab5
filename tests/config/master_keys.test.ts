import assert from "node:assert/strict";
import { join } from "node:path";
import { printConfigText } from "../../src/config/print.ts";
import { TestDirectory } from "../store/test_store.ts";
import { loadServerText, serverProblemsOf } from "./load_text.ts";

const [A, B] = [1, 2].map((byte) => new Uint8Array(32).fill(byte).toBase64()) as [string, string];
const SUBJECTS = '[server]\nsubjects = ["student"]\n';

Deno.test("master keys come from a setting or from a file, in their order", () => {
  const keysOf = (text: string, variables = {}): readonly string[] =>
    loadServerText(SUBJECTS + text, variables).settings.masterKeys;
  assert.deepEqual(loadServerText("").settings.masterKeys, []);
  assert.deepEqual(keysOf(""), []);
  assert.deepEqual(keysOf(`masterKey = "${A}"`), [A]);
  assert.deepEqual(keysOf("", { SERVICE_MASTER_KEY: `${B}, ${A}` }), [B, A]);
  using directory = new TestDirectory();
  const path = join(directory.path, "master.key");
  Deno.writeTextFileSync(path, `${A}\n${B}\n`, { mode: 0o600 });
  assert.deepEqual(keysOf(`masterKeyFile = "${path}"`), [A, B]);
  const { settings, warnings } = loadServerText(SUBJECTS, { SERVICE_MASTER_KEY_FILE: path });
  assert.deepEqual([settings.masterKeys, warnings], [[A, B], []]);
  Deno.chmodSync(path, 0o640);
  assert.deepEqual(loadServerText(`${SUBJECTS}masterKeyFile = "${path}"`).warnings, [
    `${path}: contains a master key, but its group or others may read it (chmod 600 ${path})`,
  ]);
});

Deno.test("a master key that is wrong is rejected by its setting, and not shown", () => {
  const rule = "must be keys of 32 bytes in Base64, separated by commas";
  const short = new Uint8Array(31).fill(3).toBase64();
  const cases = [
    ["", rule],
    [",", `${rule}: there is none`],
    [short, `${rule}: key 1 has 31 bytes`],
    [`${A},${A.replace("=", "")}`, `${rule}: key 2 is not Base64`],
    [`${A} ${A}${A}`, `${rule}: key 2 is not Base64`],
    ["********", "must be the master key itself, not the mask that --print-config shows for it"],
  ] as const;
  for (const [value, fault] of cases) {
    const problems = serverProblemsOf(SUBJECTS, { SERVICE_MASTER_KEY: value });
    assert.deepEqual(problems, [`SERVICE_MASTER_KEY: ${fault}`]);
    const inFile = serverProblemsOf(`${SUBJECTS}masterKey = "${value}"`);
    assert.deepEqual(inFile, [`config.toml:3:1: masterKey ${fault}`]);
  }
  using directory = new TestDirectory();
  const path = join(directory.path, "master.key");
  const problems = (): string[] => serverProblemsOf(`${SUBJECTS}masterKeyFile = "${path}"`);
  assert.deepEqual(problems(), [`masterKeyFile ${path}: cannot be read: there is no such file`]);
  const ofFile = `masterKeyFile ${path}: must have keys of 32 bytes in Base64`;
  for (const [text, fault] of [["\n", "there is none"], [`${A}\n${short}\n`, "key 2 has 31 bytes"]]) {
    Deno.writeTextFileSync(path, text!);
    assert.deepEqual(problems(), [`${ofFile}: ${fault}`]);
  }
  Deno.writeFileSync(path, new Uint8Array([0xff]));
  assert.deepEqual(problems(), [`masterKeyFile ${path}: is not UTF-8 text`]);
});

Deno.test("a master key needs subjects, and one place", () => {
  const variables = { SERVICE_MASTER_KEY: A, SERVICE_MASTER_KEY_FILE: "/nowhere" };
  assert.deepEqual(serverProblemsOf("", { SERVICE_MASTER_KEY: A }), [
    "SERVICE_MASTER_KEY: masterKey is set, but subjects names no identifiers",
  ]);
  const both =
    "SERVICE_MASTER_KEY: masterKey and masterKeyFile (SERVICE_MASTER_KEY_FILE) are both set; only one may be";
  assert.ok(serverProblemsOf(SUBJECTS, variables).includes(both));
});

Deno.test("the printed configuration masks the master key", () => {
  const text = printConfigText(loadServerText(SUBJECTS, { SERVICE_MASTER_KEY: A }));
  assert.ok(!text.includes(A));
  assert.match(text, /^# masterKey = "\*{8}" +# environment \(SERVICE_MASTER_KEY\); masked$/m);
});
