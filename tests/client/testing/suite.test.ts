import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { runDeno } from "../../support/run_command.ts";

/** The tests of the client that talk to a server. */
const FILES = [
  "decide",
  "decide_unanswered",
  "follow",
  "forget",
  "project_rows",
  "reading",
  "write_once",
  "writing",
];

Deno.test("the tests of the client pass on the store in memory, too", async () => {
  const files = FILES.map((name) => fileURLToPath(new URL(`../${name}.test.ts`, import.meta.url)));
  const args = ["test", "--quiet", "--allow-all", "--no-check", "--parallel", ...files];
  const root = new URL("../../../", import.meta.url);
  const { code, stdout, stderr } = await runDeno(args, {
    env: { EVENTSTORE_TEST_STORE: "memory" },
    cwd: root,
  });
  assert.equal(code, 0, stdout + stderr);
  const passed = Number(/(\d+) passed/.exec(stdout)?.[1]);
  assert.ok(passed >= 60, `${passed} passed: ${stdout}`);
});
