import type { ServerSettings } from "../config/load.ts";
import type { Edition, OpenEdition } from "../editions/edition.ts";
import type { Tokens } from "../http/authorization.ts";
import type { Handler } from "../http/exchange.ts";
import { makeOriginCheck } from "../http/own_origin.ts";
import { makePipeline, type PipelineOptions } from "../http/pipeline.ts";
import type { RequestMetrics } from "../http/request_metrics.ts";
import type { Log } from "../log/log.ts";
import { rateLimited } from "../log/rate_limited.ts";
import { Catalog } from "../store/core/catalog/catalog.ts";
import { Proofs } from "../store/core/proof/proofs.ts";
import { pauseInFile, pauseInStore } from "../store/core/persisted_pause.ts";
import type { Store, StoreNotice } from "../store/api/store.ts";
import type { Outcome } from "../store/api/outcome.ts";
import type { StoreWrite, WriteResult } from "../store/api/write.ts";
import { StoreViews } from "../view/store_view.ts";
import { Admission } from "../write_queue/admission.ts";
import { WriteQueue } from "../write_queue/write_queue.ts";
import { FailingWritesLog } from "./failing_writes_log.ts";

/** Stays the same over all leaderships of a server. */
export interface LeadershipHost {
  readonly settings: ServerSettings;
  readonly edition: Edition;
  readonly log: Log;
  readonly requests: RequestMetrics;
  /** The valid tokens; undefined when no token is required. */
  readonly tokens: Tokens | undefined;
  readonly programMetrics: () => string;
  /** See `ServerParts`. */
  readonly reportFailure: (error: Error) => void;
  /** See `WriteQueueOptions`. */
  readonly groupWritesMax: number;
}

/**
 * The time in which a server is the active one of its store. Everything that remembers some state of the store
 * begins and ends with it.
 */
export class Leadership {
  readonly store: Store;
  readonly handler: Handler;
  readonly #queue: WriteQueue;
  readonly #catalog: Catalog;
  /** undefined without the setting `subjects`. */
  readonly #proofs: Proofs | undefined;
  readonly #open: OpenEdition;
  readonly #warn: (text: string) => void;
  readonly #warnOfCheckpoint: (text: string) => void;
  readonly #failingWrites: FailingWritesLog;

  constructor(host: LeadershipHost, store: Store) {
    const { settings, edition, reportFailure, programMetrics, log } = host;
    this.store = store;
    this.#queue = new WriteQueue({
      ...edition.queueLimit(settings),
      store,
      groupWritesMax: host.groupWritesMax,
    });
    const warn = (text: string): void => log.note("warning", text);
    this.#warn = warn;
    this.#warnOfCheckpoint = rateLimited(warn);
    this.#failingWrites = new FailingWritesLog(store.counts.health, warn);
    const { renewal } = store.opened;
    if (renewal !== undefined) warn(renewal);
    const queue = this.#queue;
    const write = async (write: StoreWrite): Promise<Outcome<WriteResult>> => {
      return (await queue.write(new Admission(edition.ownKind), write)).outcome;
    };
    this.#catalog = new Catalog(store, write);
    this.#proofs = settings.subjects.length > 0 ? new Proofs(store, write) : undefined;
    this.#open = edition.open({
      settings,
      views: new StoreViews(store, queue, this.#catalog, this.#proofs),
      store,
      queue: this.#queue,
      persistedPause: settings.postgres === undefined ? pauseInFile(settings.dataDir) : pauseInStore(store),
      programMetrics,
      hashedEvents: () => this.#proofs?.hashedEvents,
      reportFailure,
      warn,
    });
    this.handler = makePipeline({ ...pipelineOptions(host), routes: this.#open.routes });
  }

  /** Logs an event of the store that leaves it usable. */
  log({ kind, reason }: StoreNotice): void {
    switch (kind) {
      case "checkpointFailed":
        return this.#warnOfCheckpoint(`the WAL cannot be moved into the store's file: ${reason}`);
      case "writes":
        return this.#failingWrites.changed();
      case "replicas":
        return this.#warn(
          reason === undefined
            ? "replicas are read again"
            : `no replica can be read, and all is read from the primary: ${reason}`,
        );
      case "keyInWal":
      case "keysWrapped":
      case "renewed":
        return this.#warn(reason);
    }
  }

  /**
   * Rejects waiting writes and finishes running ones. Reads may continue.
   * @returns once another server may take over
   */
  async end(): Promise<void> {
    this.#open.close();
    this.store.feed.close();
    const counted = Promise.all([this.#catalog.close(), this.#proofs?.close()]);
    await this.#queue.shutdown();
    await counted;
    await this.store.endWriting();
    this.#failingWrites.close();
  }
}

/** Returns the options for all requests to a server, whether it is active or not. */
export function pipelineOptions(
  { settings, edition, log, requests, tokens, reportFailure }: Omit<LeadershipHost, "programMetrics">,
): Omit<PipelineOptions, "routes"> {
  return {
    // Web pages of other origins do not have the token.
    originCheck: tokens === undefined ? makeOriginCheck(settings.listen, settings.allowedHosts) : undefined,
    tokens,
    openHealth: settings.openHealth,
    bodyLimit: edition.bodyLimit(settings),
    log,
    metrics: requests,
    reportFailure,
  };
}
