import type { Bug, Catcher } from "./bug.ts";

export function nameOf(catcher: Catcher): string {
  return "tests" in catcher ? catcher.tests : `${catcher.check}, edition ${catcher.edition}`;
}

/** One line for each planted bug, with the check or the test file that must fail because of it. */
export function listOf(bugs: readonly Bug[]): string {
  return bugs.map(({ name, caughtBy }) => `${name} | ${nameOf(caughtBy)}\n`).join("");
}
