import type { ServerSettings } from "../config/load.ts";
import type { WriteQueue } from "../core/write_queue.ts";
import type { BodyLimit } from "../http/pipeline.ts";
import type { Route } from "../http/router.ts";
import type { ErrorCode } from "../model/errors.ts";
import type { Store } from "../store/store.ts";
import type { QueryLiterals } from "../wire/query.ts";

/**
 * One of the three interfaces to the same store and the same write queue. An edition says what its queries
 * may be called, how long its queue is, and which routes it has; what holds a turn (one write, one commit,
 * the life of a ticket) is decided by the handlers of those routes.
 */
export interface Edition {
  /** The strings that stand for a query. */
  readonly literals: QueryLiterals;
  /** How many requests wait for a turn, and the code for one too many. */
  queueLimit(settings: ServerSettings): { readonly waitingMax: number; readonly fullCode: ErrorCode };
  bodyLimit(settings: ServerSettings): BodyLimit;
  /** What the start tells of the settings, beside what it tells in every edition. */
  startFacts?(settings: ServerSettings): readonly string[];
  /** Commands for a first write and a first read, to be copied into a shell; `curl` ends before the URL. */
  firstSteps(curl: string, url: string): readonly string[];
  open(host: EditionHost): OpenEdition;
}

/** What an edition works with. */
export interface EditionHost {
  readonly settings: ServerSettings;
  readonly literals: QueryLiterals;
  readonly store: Store;
  readonly queue: WriteQueue;
  /** Writes a failure that no reply can tell to the log of errors. */
  readonly reportFailure: (error: Error) => void;
  /** Writes a warning that belongs to no request to the log. */
  readonly warn: (text: string) => void;
}

/** An edition at work. */
export interface OpenEdition {
  readonly routes: readonly Route[];
  /** Ends what the edition does on its own, before the queue is shut down. */
  close(): void;
}
