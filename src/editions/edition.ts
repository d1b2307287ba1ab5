import type { ServerSettings } from "../config/load.ts";
import type { BodyLimit } from "../http/pipeline.ts";
import type { Route } from "../http/router.ts";
import type { ErrorCode } from "../model/errors.ts";
import type { PersistedPause } from "../store/core/persisted_pause.ts";
import type { Store, StoreReads, StoreWriter } from "../store/api/store.ts";
import type { CommitFeed } from "../store/feed/commit_feed.ts";
import type { StoreViews } from "../view/store_view.ts";
import type { WriteTurns } from "../write_queue/write_queue.ts";

/**
 * One of the three interfaces to the same store and the same write queue. An edition sets the length of the queue
 * and the routes. The handlers of the routes decide what holds the write lock: one write, one commit or the life of
 * a ticket.
 */
export interface Edition {
  /**
   * `shared`: several servers may use one database. `exclusive`: one server at a time, because this edition keeps
   * state between requests in the memory of one process.
   */
  readonly servers: "shared" | "exclusive";
  /** The most requests that may wait for the write lock, and the error code for one more. */
  queueLimit(settings: ServerSettings): { readonly waitingMax: number; readonly fullCode: ErrorCode };
  bodyLimit(settings: ServerSettings): BodyLimit;
  /** The kind of the writes that no client asked for, as `/debug` shows them. */
  readonly ownKind: string;
  /** The settings that startup prints, besides those that it prints for every edition. */
  startFacts?(settings: ServerSettings): readonly string[];
  /** Commands for a first write and a first read, to copy into a shell. `curl` ends before the URL. */
  firstSteps(curl: string, url: string): readonly string[];
  open(host: EditionHost): OpenEdition;
}

export interface EditionHost {
  readonly settings: ServerSettings;
  /** All events and projections, as the token of a request sees them. */
  readonly views: Pick<StoreViews, "of">;
  readonly store: OperatedStore;
  readonly queue: WriteTurns;
  /** Where edition C persists its pause. */
  readonly persistedPause: PersistedPause;
  /** The metrics of the program outside the edition: requests, connections, the process. */
  readonly programMetrics: () => string;
  /** How many events, from the first on, are hashed for proofs; undefined without the setting `subjects`. */
  readonly hashedEvents: () => number | undefined;
  /** Logs a failure that no response can report. */
  readonly reportFailure: (error: Error) => void;
  /** Logs a warning that belongs to no request. */
  readonly warn: (text: string) => void;
}

/** A store without what reads and writes events and projections: only a view does that. */
export type OperatedStore = Pick<Store, "opened" | "storeId" | "counts" | "usage"> & {
  readonly reads: Pick<StoreReads, "inUse" | "max" | "ping">;
  readonly feed: Pick<CommitFeed, "state" | "subscriptions">;
  readonly writer: Pick<
    StoreWriter,
    "deleteProjections" | "reset" | "setPaused" | "optimize" | "begin" | "commit" | "rollback"
  >;
};

export interface OpenEdition {
  readonly routes: readonly Route[];
  /** Stops what the edition does on its own, before the queue is shut down. */
  close(): void;
}

/** The cap on request bodies of editions A and B. */
export function requestBodyLimit(settings: { readonly maxRequestBodySize: number }): BodyLimit {
  const { maxRequestBodySize: bytesMax } = settings;
  return { bytesMax, message: `request body exceeds maxRequestBodySize (${bytesMax} bytes)` };
}
