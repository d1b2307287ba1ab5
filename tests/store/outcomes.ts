import assert from "node:assert/strict";
import type { Outcome } from "../../src/store/outcome.ts";
import type { AttemptResult, Conflict, WriteResult } from "../../src/store/write.ts";

/** What a call that gives nothing back came to when it succeeded. */
export const DONE: Outcome<void> = { kind: "done", value: undefined };

/** In one word what a write came to. */
export function kindOf(outcome: Outcome<AttemptResult> | undefined): string | undefined {
  return outcome?.kind === "done" ? outcome.value.kind : outcome?.kind;
}

/** The result of a write that must have been written. */
export function written(
  outcome: Outcome<AttemptResult> | undefined,
): Extract<WriteResult, { kind: "written" }> {
  assert.equal(kindOf(outcome), "written");
  return (outcome as { value: WriteResult }).value as Extract<WriteResult, { kind: "written" }>;
}

/** The conflict of a write that must have met one. */
export function conflictOf(outcome: Outcome<AttemptResult> | undefined): Conflict {
  assert.equal(kindOf(outcome), "conflict");
  return ((outcome as { value: WriteResult }).value as Extract<WriteResult, { kind: "conflict" }>).conflict;
}
