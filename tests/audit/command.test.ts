import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { BUGS } from "../../audit/bugs/bugs.ts";
import { listOf } from "../../audit/bugs/list.ts";
import { plant, runCatcher } from "../../audit/bugs/plant.ts";
import { inDirectory } from "../support/directory.ts";

const CHECK = fileURLToPath(new URL("../../audit/check.ts", import.meta.url));

async function run(...args: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
  const { code, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-check", "--allow-all", CHECK, ...args],
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  return { code, text: new TextDecoder().decode(stdout) };
}

Deno.test("an unknown check, or a flag that makes no sense, ends with 2 and prints the usage", async () => {
  for (
    const args of [
      ["nothing"],
      ["kills", "--edition", "D"],
      ["damage", "--rounds", "few"],
      ["damage", "--rounds", "0"],
      ["damage", "--minutes", "0"],
      ["damage", "--often"],
      ["damage", "--list"],
    ]
  ) {
    const { code, text } = await run(...args);
    assert.equal(code, 2, args.join(" "));
    assert.match(text, /deno task audit:check CHECK/);
  }
});

Deno.test("bugs --list prints every planted bug and runs none", async () => {
  const { code, text } = await run("bugs", "--list");
  assert.equal(code, 0, text);
  assert.equal(text, listOf(BUGS));
});

Deno.test("a check that passes prints its figures in one line of JSON", async () => {
  const { code, text } = await run("damage", "--rounds", "3", "--seed", "5");
  assert.equal(code, 0, text);
  const { seconds, figures, ...rest } = JSON.parse(text);
  assert.deepEqual(rest, { check: "damage", edition: "A", seed: 5 });
  assert.ok(seconds > 0);
  assert.equal(figures.rounds, 3);
});

Deno.test("a planted bug makes its check fail, and the check prints the fault and how to repeat it", async () => {
  const bug = BUGS.find(({ name }) => name === "verify does not compare the hash chain of a backup")!;
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
