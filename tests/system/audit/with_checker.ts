import { LinearizabilityChecker } from "../../../audit/linearizability/checker.ts";
import { ProgramMissing } from "../support/debian_program.ts";
import { needingTest } from "../../support/needing_test.ts";

let building: Promise<LinearizabilityChecker> | undefined;

/** Registers a test with the checker. Where Go or Porcupine cannot be had it is ignored; with CI=true it fails. */
export async function linearizabilityTest(
  name: string,
  test: (checker: LinearizabilityChecker) => Promise<void>,
): Promise<void> {
  let checker: LinearizabilityChecker | undefined;
  let missing: string | undefined;
  try {
    checker = await (building ??= build());
  } catch (error) {
    if (!(error instanceof ProgramMissing)) throw error;
    missing = error.message;
  }
  needingTest(name, { missing, excused: Deno.build.os !== "linux" }, () => test(checker!));
}

async function build(): Promise<LinearizabilityChecker> {
  const checker = await LinearizabilityChecker.build();
  addEventListener("unload", () => checker[Symbol.dispose]());
  return checker;
}
