/* The calls that sequences of edition C are made of, and what becomes of them. */

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
 * One call of a sequence. There is one projection, in the store at first, and one event.
 * - begin, pause, resume, reset, restart: what their names say. "leave": the client of the request that has
 *   waited longest for its turn leaves
 * - append...: with no condition, one that holds, one that any event breaks, no event, half a JSON text
 * - replace, delete: with the version that the transaction sees; "replaceStale" with another one
 * - "oldTicket": a malformed append with a ticket that is not active; "noTicket": a commit without one
 * - "sendHalf": an append whose body comes with "sendRest", or never, with "leaveHalf"
 * - plainWrite, deleteAll: without ticket. The first creates the projection, or replaces it
 * - "wait": WAIT_SECONDS pass
 */
export type CallName = (typeof CALLS)[number];

export const WAIT_SECONDS = 4;
export const LIMITS = {
  transactionTimeout: 5,
  /** No multiple of the other times, so that no two deadlines fall on one moment. */
  maxTransactionDuration: 7.3,
  maxQueuedTransactions: 2,
};

export interface Outcome {
  readonly status: number;
  readonly error?: string;
  readonly message?: string;
  /** What was read or written. Stores and versions are numbered in the order in which they come up. */
  readonly found?: unknown;
}

/** The client left, so that nobody is there to be answered. */
export const GONE: Outcome = { status: 0 };
export const DONE: Outcome = { status: 204 };
export const INVALID: Outcome = { status: 400, error: "InvalidRequest" };

/** The payload that the call at this place of a sequence writes. */
export function payloadOf(place: number): string {
  return `payload ${place}`;
}
