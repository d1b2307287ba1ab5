import { ApiError } from "../../model/errors.ts";
import { type Outcome, throwIfFailed } from "../../store/api/outcome.ts";
import type { Conflict, WriteResult, Written } from "../../store/api/write.ts";

/** The error message for a conflict. `prefix` precedes the lists of projections. */
export function conflictMessage({ list, index, cause }: Conflict, prefix: "projections." | "" = ""): string {
  switch (cause) {
    case "eventMatches":
      return `conditions[${index}] no longer holds`;
    case "otherStore":
      return `conditions[${index}] was read on another store`;
    case "exists":
      return `${prefix}${list}[${index}] already exists`;
    case "otherVersion":
      return `${prefix}${list}[${index}] no longer has the given version`;
  }
}

/** The same for programs, in the field `conflict`. */
export function conflictLocation(conflict: Conflict): object {
  if (conflict.list !== "conditions") return { list: conflict.list, item: conflict.index };
  const condition = conflict.index;
  return conflict.cause === "otherStore" ? { condition } : { condition, sequence: conflict.sequence };
}

/**
 * Returns the result of the write.
 * @param message the error message for a conflict
 * @param place the location of the conflict, for programs
 * @throws ApiError on a conflict, or the error of a write transaction that failed
 */
export function throwIfRejected(
  outcome: Outcome<WriteResult>,
  message: (conflict: Conflict) => string | undefined,
  place: (conflict: Conflict) => object = conflictLocation,
): Written {
  const result = throwIfFailed(outcome);
  if (result.kind === "written") return result;
  if (result.kind === "unknownSubject") throw new ApiError("SubjectNotFound");
  const { conflict } = result;
  throw new ApiError("ConcurrencyException", message(conflict), { conflict: place(conflict) });
}
