import type { ServerSettings } from "../config/load.ts";
import type { BodyLimit } from "../http/pipeline.ts";
import type { Route } from "../http/router.ts";
import type { ErrorCode } from "../model/errors.ts";
import type { PersistedPause } from "../store/persisted_pause.ts";
import type { Store } from "../store/store.ts";
import type { WriteQueue } from "../write_queue/write_queue.ts";

/**
 * One of the three interfaces to the same store and the same write queue. An edition says how long its queue is
 * and which routes it has; what holds a turn (one write, one commit, the life of a ticket) is decided by the
 * handlers of those routes.
 */
export interface Edition {
  /**
   * Whether several servers may work on one database, or only one at a time: what an edition has open over several
   * requests lives in one process.
   */
  readonly servers: "shared" | "exclusive";
  /** How many requests may wait for a turn, and the error code for one too many. */
  queueLimit(settings: ServerSettings): { readonly waitingMax: number; readonly fullCode: ErrorCode };
  bodyLimit(settings: ServerSettings): BodyLimit;
  /** What startup prints of the settings, besides what every edition prints. */
  startFacts?(settings: ServerSettings): readonly string[];
  /** Commands for a first write and a first read, to be copied into a shell; `curl` ends before the URL. */
  firstSteps(curl: string, url: string): readonly string[];
  open(host: EditionHost): OpenEdition;
}

/** What an edition works with. */
export interface EditionHost {
  readonly settings: ServerSettings;
  readonly store: Store;
  readonly queue: WriteQueue;
  /** Where edition C keeps its pause. */
  readonly persistedPause: PersistedPause;
  /** The metrics of the program around the edition: requests, connections, the process. */
  readonly programMetrics: () => string;
  /** Logs a failure that no response can report. */
  readonly reportFailure: (error: Error) => void;
  /** Logs a warning that belongs to no request. */
  readonly warn: (text: string) => void;
}

/** A running edition. */
export interface OpenEdition {
  readonly routes: readonly Route[];
  /** Stops what the edition does on its own, before the queue is shut down. */
  close(): void;
}
