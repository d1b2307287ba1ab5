import type { Failure, FailureCause } from "../../outcome.ts";
import { DatabaseError, SessionLost } from "../protocol/errors.ts";
import { StoreBroken } from "../cluster/write_ownership.ts";

/** What an error means for a turn of which nothing was committed. Others than those of a statement pass by themselves. */
export function failureOf(error: unknown): Failure {
  const reason = (error as Error).message;
  if (error instanceof SessionLost || error instanceof StoreBroken) {
    return { kind: "failed", reason, code: "Unavailable", cause: "connection" };
  }
  if (!(error instanceof DatabaseError)) return { kind: "failed", reason };
  const failure: Failure = { kind: "failed", reason, cause: causeOf(error) };
  return /^(53300|55P03|57)/.test(error.code) ? { ...failure, code: "Unavailable" } : failure;
}

/** What a SQLSTATE stands for. */
function causeOf({ code }: DatabaseError): FailureCause {
  if (code === "53100") return "diskFull";
  // An I/O error, or damaged data.
  if (/^(58030|XX00[12])/.test(code)) return "diskError";
  if (code === "55P03") return "locked";
  // Too many connections, or a server that shuts down, has crashed or is starting.
  return /^(53300|57P0)/.test(code) ? "connection" : "other";
}
