import type { Position } from "./events.ts";

/**
 * What a conflict was about, for programs: a condition, with the sequence of the first event that matches it (none
 * when it was read on another store), or a projection. Edition A names a projection by list and item.
 */
export interface ConflictDetail {
  /** The place of the condition that no longer holds. */
  readonly condition?: number;
  /** Of the first event that breaks the condition. */
  readonly sequence?: number;
  /** In which list of projections. */
  readonly list?: "create" | "replace" | "delete";
  /** Which item of the list, from 0. */
  readonly item?: number;
  /** Which projection, in a transaction of edition B. */
  readonly projection?: { readonly type: string; readonly id: string };
}

/** What an `EventStoreError` is made of. */
export interface ErrorParts {
  /** The server's word for it, or one of the client. */
  readonly code: string;
  /** Of the answer. Default 0: there was none. */
  readonly status?: number;
  /** For people. Default: the code. */
  readonly message?: string | undefined;
  /** What a conflict was about. */
  readonly conflict?: ConflictDetail | undefined;
  /** The error below. */
  readonly cause?: unknown;
}

/**
 * Something went wrong between this program and the store. The subclasses tell what can be done about it; one
 * of no subclass means that the server could not do its work (500, nothing was written).
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
  /** The name of the class, also when the code is minified. */
  override readonly name: string = "EventStoreError";
  /** The server's word for it, such as `ConcurrencyException`, or one of the client. */
  readonly code: string;
  /** The status of the answer; 0 when there was none. */
  readonly status: number;
  /** Only of a `Conflict`. */
  readonly conflict: ConflictDetail | undefined;
  /** Whether a write may have happened, or may happen yet. If not, nothing was written. */
  readonly outcomeUnknown: boolean;

  /** Made by the client; public so that tests can make one. */
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
  /** The name of the class, also when the code is minified. */
  override readonly name = "Conflict";
}

/**
 * The request is wrong, too large, not allowed (4xx) or sent elsewhere (3xx), and repeating it will not help. If the
 * server itself said so, nothing was written. If a proxy did, `outcomeUnknown` is true for a write.
 */
export class Refused extends EventStoreError {
  /** The name of the class, also when the code is minified. */
  override readonly name = "Refused";
}

/** The server cannot do it at the moment (503): nothing was written. Try again later. */
export class Unavailable extends EventStoreError {
  /** The name of the class, also when the code is minified. */
  override readonly name = "Unavailable";
}

/**
 * There was no complete answer, or none of the server's own. For everything that may change the store, `outcomeUnknown`
 * is true.
 */
export class ConnectionLost extends EventStoreError {
  /** The name of the class, also when the code is minified. */
  override readonly name = "ConnectionLost";
}

/**
 * The store has another history than before: it was reset or restored and has another ID, or events were lost in a
 * failover and it ends before the position. Earlier positions are void.
 */
export class StoreReset extends EventStoreError {
  /** The name of the class, also when the code is minified. */
  override readonly name = "StoreReset";
  /** The position that is void. */
  readonly position: Position;
  /** The ID of the store that is there now. After a failover that lost events it may be the same. */
  readonly storeId: string;

  /** Made by the client; public so that tests can make one. */
  constructor(position: Position, storeId: string) {
    const message = position.storeId === storeId
      ? `store ${storeId} ends before sequence ${position.sequence}: it has lost events`
      : `the position is of store ${position.storeId}, this is store ${storeId}`;
    super({ code: "StoreReset", message });
    this.position = position;
    this.storeId = storeId;
  }
}
