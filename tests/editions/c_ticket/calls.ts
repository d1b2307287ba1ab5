import type { Outcome } from "./reference.ts";

/* The calls in sequences of edition C. */

export const CALLS = [
  "begin",
  "leave",
  "read",
  "append",
  "appendHolding",
  "appendFailing",
  "appendNothing",
  "appendMalformed",
  "get",
  "create",
  "replace",
  "replaceStale",
  "delete",
  "commit",
  "rollback",
  "oldTicket",
  "noTicket",
  "sendHalf",
  "sendRest",
  "leaveHalf",
  "pause",
  "resume",
  "plainWrite",
  "deleteAll",
  "reset",
  "wait",
  "restart",
] as const;

/**
 * One call of a sequence. At first, the store has one projection and one event.
 * - "begin", "pause", "resume", "reset", "restart": as named
 * - "leave": the client of the request that has waited longest for its turn disconnects
 * - "append...": with no condition, one that holds, one that any event breaks, no event, half a JSON text
 * - "replace", "delete": with the version that the transaction sees; "replaceStale" with another one
 * - "oldTicket": a malformed append with a ticket that is not active; "noTicket": a commit without a ticket
 * - "sendHalf": an append with half of its body. "sendRest" sends the rest; with "leaveHalf" the client disconnects
 * - "plainWrite", "deleteAll": without a ticket. The first creates or replaces the projection
 * - "wait": WAIT_SECONDS pass
 */
export type CallName = (typeof CALLS)[number];

export const WAIT_SECONDS = 4;
export const LIMITS = {
  transactionTimeout: 5,
  /** This is no multiple of the other times, so that two deadlines never fall on the same moment. */
  maxTransactionDuration: 7.3,
  maxQueuedTransactions: 2,
};

export const INVALID: Outcome = { status: 400, error: "InvalidRequest" };

export const EVENT_TYPE = "t";
export const PROJECTION = { type: "p", id: "1" };

/** The payload that the call at this index of a sequence writes. */
export function payloadOf(place: number): string {
  return `payload ${place}`;
}
