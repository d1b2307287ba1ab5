import { ApiError, OutcomeUnknown } from "../../model/errors.ts";

/**
 * The outcome of something that changes the store. `failed`: it is certain that nothing was written. `unknown`:
 * only the next start will show whether it was written, so no response would be true.
 */
export type Outcome<T> = Done<T> | Failure;

interface Done<T> {
  readonly kind: "done";
  readonly value: T;
}

/**
 * Why a transaction failed, for metrics: a full disk, an I/O error or a damaged page, a lock of another process, a
 * store file that was deleted or replaced, a database connection, a copy of a forgotten key that is left in the WAL,
 * or something else.
 */
export type FailureCause =
  | "diskFull"
  | "diskError"
  | "locked"
  | "lostFiles"
  | "connection"
  | "keyLeft"
  | "other";

export interface Failure {
  readonly kind: "failed" | "unknown";
  readonly reason: string;
  /** `other` when not given. */
  readonly cause?: FailureCause;
  /** Given when the cause lies outside the server, such as a lock of another process or a full disk. */
  readonly code?: "Unavailable" | "DiskFull";
}

export function done<T>(value: T): Done<T> {
  return { kind: "done", value };
}

/**
 * Returns the outcome of a write transaction. When the writer died in it, the outcome is unknown: it may have
 * committed.
 */
export async function outcomeOf<T>(turn: Promise<Outcome<T>>): Promise<Outcome<T>> {
  return await turn.catch((error: Error) => ({ kind: "unknown", reason: error.message }));
}

/**
 * Returns the value of a transaction that succeeded.
 * @throws ApiError when it failed, `InternalError` unless it gives a code; OutcomeUnknown when the outcome is unknown
 */
export function throwIfFailed<T>(outcome: Outcome<T>): T {
  switch (outcome.kind) {
    case "done":
      return outcome.value;
    case "failed":
      throw new ApiError(outcome.code ?? "InternalError", `nothing was written: ${outcome.reason}`);
    case "unknown":
      throw new OutcomeUnknown(outcome.reason);
  }
}
