import { ClientDisconnected } from "../../model/errors.ts";

/** Why a transaction was rolled back. `client`: asked to, or left in the middle of a call. */
export type RollbackReason = "client" | "error" | "expired" | "shutdown" | "reset";

/** Why a call that failed with this error rolls its transaction back. */
export function reasonOf(error: unknown): RollbackReason {
  return error instanceof ClientDisconnected ? "client" : "error";
}
