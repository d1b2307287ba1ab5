import { OutcomeUnknown, Refusal } from "../model/errors.ts";
import type { TurnFailure } from "../store/turns.ts";

/** The error with which a turn that failed is answered, or left unanswered when its outcome is unknown. */
export function turnError(failure: TurnFailure): Error {
  return failure.kind === "unknown"
    ? new OutcomeUnknown(failure.reason)
    : new Refusal("InternalError", `nothing was written: ${failure.reason}`);
}

/** @throws the error of a turn that failed */
export function mustHaveSucceeded(failure: TurnFailure | undefined): void {
  if (failure !== undefined) throw turnError(failure);
}
