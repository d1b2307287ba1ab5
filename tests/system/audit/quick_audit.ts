import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { debianTest } from "../support/debian_program.ts";
import { runDeno } from "../../support/run_command.ts";

const RUN = ["run", "--quiet", "--no-prompt", "--allow-all"];

/** True in runs of `deno task test-long`, which shorten no check. */
export const IS_LONG = Deno.env.get("EVENTSTORE_LONG_TESTS") === "1";

/**
 * The same choices in each run, so that no run fails by chance because of something that its change did not touch.
 */
const SEED = IS_LONG ? [] : ["--seed", "20261122"];

/** Registers a test that runs some checks of the audit in their short form. A failure says how to repeat it. */
export async function quickAuditTest(name: string, ...checks: readonly string[]): Promise<void> {
  await auditTest(name, ["strace", "faketime"], "main.ts", "quick", "--only", checks.join(","));
}

/**
 * Registers the same for one check with fewer rounds of each edition. They suffice for its lower bounds. Planted
 * bugs have rounds of their own. With EVENTSTORE_LONG_TESTS=1 it is not shortened.
 */
export async function shortAuditTest(name: string, check: string, rounds: number): Promise<void> {
  const fewer = IS_LONG ? [] : ["--rounds", String(rounds)];
  await auditTest(name, ["strace"], "main.ts", "quick", "--only", check, ...fewer);
}

/** Registers a test that runs a program of the audit, which needs these programs of Debian. */
export async function auditTest(
  name: string,
  programs: readonly string[],
  program: "main.ts" | "check.ts",
  ...args: readonly string[]
): Promise<void> {
  const path = fileURLToPath(new URL(`../../../audit/${program}`, import.meta.url));
  await debianTest(programs, name, async () => {
    const { code, stdout, stderr } = await runDeno([...RUN, path, ...args, ...SEED]);
    assert.equal(code, 0, stdout + stderr);
  });
}
