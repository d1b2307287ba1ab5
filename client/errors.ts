import type { Position } from "./events.ts";

/* `declare` keeps the fields that constructors set out of the minified code. */

/**
 * The cause of a conflict, for programs: a condition, with the sequence of the first event that matches it, or a
 * projection. A condition that was read on another store has no such sequence. Edition A names a projection by list
 * and item.
 */
export interface ConflictDetail {
  /** The index of the condition that no longer holds. */
  readonly condition?: number;
  /** The sequence of the first event that breaks the condition. */
  readonly sequence?: number;
  /** The list of projections. */
  readonly list?: "create" | "replace" | "delete";
  /** The index in the list, from 0. */
  readonly item?: number;
  /** The projection, in a transaction of edition B. */
  readonly projection?: { readonly type: string; readonly id: string };
}

/** The parts of an `EventStoreError`. */
export interface ErrorParts {
  /** The error code of the server or of the client. */
  readonly code: string;
  /** The status of the answer. Default 0: there was no answer. */
  readonly status?: number;
  /** A message for people. Default: the code. */
  readonly message?: string | undefined;
  /** The cause of a conflict. */
  readonly conflict?: ConflictDetail | undefined;
  /** The underlying error. */
  readonly cause?: unknown;
}

/**
 * An error between this program and the store. The subclass says what the caller can do about it. An error without
 * a subclass means that the server failed (500, nothing was written).
 *
 * @example
 * ```ts
 * import { Conflict, EventStore, EventStoreError } from "eventstore-client";
 *
 * const store = new EventStore({ url: "http://127.0.0.1:8085" });
 * try {
 *   await store.append({ type: "UserRegistered", identifiers: { email: "a@example.com" }, payload: {} }, {
 *     conditions: { query: { types: ["UserRegistered"], identifiers: { email: "a@example.com" } } },
 *   });
 * } catch (error) {
 *   if (error instanceof Conflict) console.log("taken by event", error.conflict?.sequence);
 *   else if (error instanceof EventStoreError) console.log(error.code, error.status, error.message);
 *   else throw error;
 * }
 * ```
 */
export class EventStoreError extends Error {
  /** The name of the class, also in minified code. */
  override readonly name: string = "EventStoreError";
  /** The error code of the server, such as `ConcurrencyException`, or of the client. */
  declare readonly code: string;
  /** The status of the answer; 0 when there was none. */
  declare readonly status: number;
  /** Defined only for a `Conflict`. */
  declare readonly conflict: ConflictDetail | undefined;
  /** True if a write may have happened, or may still happen. If false, nothing was written. */
  declare readonly outcomeUnknown: boolean;

  /** The client calls it; public so that tests can create errors. */
  constructor({ code, status = 0, message, conflict, cause }: ErrorParts, outcomeUnknown = false) {
    super(message || code, cause ? { cause } : {});
    this.code = code;
    this.status = status;
    this.conflict = conflict;
    this.outcomeUnknown = outcomeUnknown;
  }
}

/** A condition or a version no longer holds (409): nothing was written. Read and decide again, or use `decide`. */
export class Conflict extends EventStoreError {
  /** The name of the class, also in minified code. */
  override readonly name = "Conflict";
}

/**
 * The request is wrong, too large, not allowed (4xx) or redirected (3xx). Do not repeat it. If the server itself
 * said so, nothing was written. If a proxy did, `outcomeUnknown` is true for a write.
 */
export class Refused extends EventStoreError {
  /** The name of the class, also in minified code. */
  override readonly name = "Refused";
}

/**
 * The server cannot do it at the moment (503, 507), or there is no connection to it: nothing was written. Try again
 * later. With the code `NeverReached` the server has not answered yet, so check the address.
 */
export class Unavailable extends EventStoreError {
  /** The name of the class, also in minified code. */
  override readonly name = "Unavailable";
}

/**
 * There was no complete answer, or the answer did not come from the server itself. `outcomeUnknown` is true for
 * every request that may change the store.
 */
export class ConnectionLost extends EventStoreError {
  /** The name of the class, also in minified code. */
  override readonly name = "ConnectionLost";
}

/**
 * The history of the store has changed. Either it was reset or restored and has another ID, or a failover lost
 * events and the store ends before the position. Earlier positions are void.
 */
export class StoreReset extends EventStoreError {
  /** The name of the class, also in minified code. */
  override readonly name = "StoreReset";
  /** The position that is void. */
  declare readonly position: Position;
  /** The ID of the current store. After a failover that lost events it may be the same as before. */
  declare readonly storeId: string;

  /** The client calls it; public so that tests can create errors. */
  constructor(position: Position, storeId: string) {
    const message = position.storeId === storeId
      ? `store ${storeId} ends before sequence ${position.sequence}: it has lost events`
      : `the position is of store ${position.storeId}, this is store ${storeId}`;
    super({ code: "StoreReset", message });
    this.position = position;
    this.storeId = storeId;
  }
}
