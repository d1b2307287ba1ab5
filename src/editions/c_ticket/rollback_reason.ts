import { ClientDisconnected } from "../../model/errors.ts";

/** Why a transaction was rolled back. `client`: the client asked for it, or disconnected in the middle of a call. */
export type RollbackReason = "client" | "error" | "expired" | "shutdown" | "reset";

/** The rollback reason for a call that failed with this error. */
export function reasonOf(error: unknown): RollbackReason {
  return error instanceof ClientDisconnected ? "client" : "error";
}
