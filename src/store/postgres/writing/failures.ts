import type { Failure, FailureCause } from "../../api/outcome.ts";
import { DatabaseError, SessionLost } from "../protocol/errors.ts";
import { MustNotWrite } from "../cluster/write_ownership.ts";

/**
 * Returns what an error means for a write transaction that committed nothing. Only errors of a statement are
 * lasting.
 */
export function failureOf(error: unknown): Failure {
  const reason = (error as Error).message;
  if (error instanceof SessionLost || error instanceof MustNotWrite) {
    return { kind: "failed", reason, code: "Unavailable", cause: "connection" };
  }
  if (!(error instanceof DatabaseError)) return { kind: "failed", reason };
  const failure: Failure = { kind: "failed", reason, cause: causeOf(error) };
  if (failure.cause === "diskFull") return { ...failure, code: "DiskFull" };
  return /^(53300|55P03|57)/.test(error.code) ? { ...failure, code: "Unavailable" } : failure;
}

/** Returns the cause of a failure by its SQLSTATE. */
function causeOf({ code }: DatabaseError): FailureCause {
  if (code === "53100") return "diskFull";
  // An I/O error, or damaged data.
  if (/^(58030|XX00[12])/.test(code)) return "diskError";
  if (code === "55P03") return "locked";
  // Too many connections, or a server that shuts down, has crashed or is starting.
  return /^(53300|57P0)/.test(code) ? "connection" : "other";
}
