import assert from "node:assert/strict";
import type { Outcome } from "../../src/store/api/outcome.ts";
import type { AttemptResult, Conflict, WriteResult } from "../../src/store/api/write.ts";

/** The outcome of a successful call that returns nothing. */
export const DONE: Outcome<void> = { kind: "done", value: undefined };

/** The outcome of a write in one word. */
export function kindOf(outcome: Outcome<AttemptResult> | undefined): string | undefined {
  return outcome?.kind === "done" ? outcome.value.kind : outcome?.kind;
}

/** The result of a write that must have succeeded. */
export function written(
  outcome: Outcome<AttemptResult> | undefined,
): Extract<WriteResult, { kind: "written" }> {
  assert.equal(kindOf(outcome), "written");
  return (outcome as { value: WriteResult }).value as Extract<WriteResult, { kind: "written" }>;
}

/** The conflict of a write that must have failed with one. */
export function conflictOf(outcome: Outcome<AttemptResult> | undefined): Conflict {
  assert.equal(kindOf(outcome), "conflict");
  return ((outcome as { value: WriteResult }).value as Extract<WriteResult, { kind: "conflict" }>).conflict;
}
