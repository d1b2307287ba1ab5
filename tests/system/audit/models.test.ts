import assert from "node:assert/strict";
import { BUGS } from "../../../audit/bugs/bugs.ts";
import { plant } from "../../../audit/bugs/plant.ts";
import { inDirectory } from "../../support/directory.ts";
import { shortAuditTest } from "./quick_audit.ts";
import { runDeno } from "../../support/run_command.ts";

await shortAuditTest("the server answers random commands as a model of its edition does", "models", 1200);

Deno.test("commands that a server with a bug answers wrongly are reported, and can be repeated alone", async () => {
  const bug = BUGS.find(({ name }) => name === "a condition that was read on another store is accepted")!;
  await inDirectory(async (copy) => {
    plant(bug, copy);
    const found = await check(copy, "--seed", "7", "--rounds", "1000");
    const replay = / --replay (\S+)$/m.exec(found)?.[1] ?? assert.fail(found);
    const commands = /^ {2}- (\{.*)$/m.exec(found)?.[1] ?? assert.fail(found);
    // This command triggers the bug.
    assert.match(commands, /"wrongStore":true/);
    assert.match(found, /200 !== 409/);
    const again = await check(copy, "--replay", replay);
    assert.equal(/^ {2}- (\{.*)$/m.exec(again)?.[1], commands);
  });
});

/** @returns the output of a check that has failed */
async function check(copy: string, ...args: readonly string[]): Promise<string> {
  const command = ["run", "--quiet", "--no-check", "--allow-all", "audit/check.ts", "models", ...args];
  const { code, stdout } = await runDeno(command, { cwd: copy });
  assert.equal(code, 1, stdout);
  return stdout;
}
