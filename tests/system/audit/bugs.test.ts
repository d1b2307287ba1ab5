import assert from "node:assert/strict";
import { join } from "node:path";
import { withEdit } from "../../../audit/bugs/bug.ts";
import { BUGS } from "../../../audit/bugs/bugs.ts";
import { plant, runCatcher } from "../../../audit/bugs/plant.ts";
import { inDirectory } from "../../support/directory.ts";
import { runDeno } from "../../support/run_command.ts";

// A server that cannot even be loaded fails every test, whatever the bug.
Deno.test("every planted bug is a valid program", async () => {
  await inDirectory(async (copy) => {
    plant(undefined, copy);
    const changed: string[] = [];
    for (const [i, { edits }] of BUGS.entries()) {
      for (const file of new Set(edits.map(({ file }) => file))) {
        if (!file.endsWith(".ts")) continue;
        const its = edits.filter((edit) => edit.file === file);
        const path = join(copy, file.replace(/\.ts$/, `.bug${i}.ts`));
        Deno.writeTextFileSync(path, its.reduce(withEdit, Deno.readTextFileSync(join(copy, file))));
        changed.push(path);
      }
    }
    const { stderr: text } = await runDeno(["check", "--quiet", ...changed], { cwd: copy });
    // A bug may leave something unused.
    const errors = text.match(/^(TS(?!6133)\d+ |error: (?!Type checking failed)).*$/gm) ?? [];
    assert.deepEqual(errors, [], text);
  });
});

Deno.test("a planted bug makes its check fail, and the check prints the fault and how to repeat it", async () => {
  const bug = BUGS.find(({ name }) => name === "verify does not compare the tree of a backup")!;
  await inDirectory(async (directory) => {
    plant(bug, directory);
    const { isCaught, output } = await runCatcher(bug.caughtBy, { copy: directory, stores: directory }, 7);
    assert.equal(isCaught, true, output);
    assert.match(
      output,
      /^FAILED damage, edition A, seed 7\nbyte \d+, \d+ to \d+:\n {2}- verify finds nothing/,
    );
    assert.match(output, /\nrepeat it: deno task audit:check damage --edition A --seed 7 --rounds 200\n/);
  });
});
