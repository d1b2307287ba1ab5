import { join } from "node:path";
import { setImmediate } from "node:timers";
import { WriteQueue } from "../../../src/write_queue/write_queue.ts";
import { editionC } from "../../../src/editions/c_ticket/edition_c.ts";
import type { EditionHost, OpenEdition } from "../../../src/editions/edition.ts";
import type { Handler, Reply } from "../../../src/http/exchange.ts";
import { makePipeline } from "../../../src/http/pipeline.ts";
import { ClientDisconnected } from "../../../src/model/errors.ts";
import { CommitFeed } from "../../../src/store/feed/commit_feed.ts";
import { openForWriting } from "../../../src/store/sqlite/connection/connection.ts";
import { createDatabase } from "../../../src/store/sqlite/data_directory/create_database.ts";
import type { Database } from "../../../src/store/sqlite/connection/database.ts";
import { Reader } from "../../../src/store/sqlite/reading/reader.ts";
import { pauseInFile } from "../../../src/store/core/persisted_pause.ts";
import type { Store, StoreWriter } from "../../../src/store/api/store.ts";
import { TransactionCounts } from "../../../src/store/core/transaction_counts.ts";
import { Writer } from "../../../src/store/sqlite/writing/writer.ts";
import { StoreViews } from "../../../src/view/store_view.ts";
import type { TicketLimits } from "./reference.ts";
import type { Answer, Request, Sent, Subject } from "./subject.ts";
import { VirtualTimers } from "./virtual_timers.ts";

const OTHER_SETTINGS = {
  devMode: true,
  subjects: [],
  defaultEventsPerPage: 1000,
  maxEventsPerPage: 1000,
  maxEventSize: 1000,
  maxTagsPerEvent: 20,
  maxProjectionSize: 1000,
  maxProjectionsPerRequest: 10,
};

/** A call that waits for another call of its ticket may take one macrotask in which nothing else happens. */
const QUIET_MACROTASKS = 12;

/** Runs all pending work that needs no timer. */
function macrotask(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Rejects a call while another one runs, like the port of a worker. */
class OneCallPort {
  isBusy = false;

  async call<T>(run: () => T): Promise<T> {
    if (this.isBusy) throw new Error("a worker takes one call at a time");
    this.isBusy = true;
    await macrotask();
    try {
      return run();
    } finally {
      this.isBusy = false;
    }
  }
}

/**
 * Edition C with the real pipeline and queue, and the real SQL on a file, in one thread. It has no workers and no
 * sockets, and its clock moves only on request.
 */
export class InProcess implements Subject, Disposable {
  readonly warnings: string[] = [];
  /** The errors that clients would only see as `500`. */
  readonly failures: Error[] = [];
  readonly #timers = new VirtualTimers();
  readonly #directory = Deno.makeTempDirSync({ prefix: "eventstore_test_", ...inMemory() });
  readonly #settings: TicketLimits;
  readonly #db: Database;
  readonly #reader: Reader;
  readonly #port = new OneCallPort();
  #writer!: Writer;
  #queue!: WriteQueue;
  #edition!: OpenEdition;
  #handler!: Handler;

  constructor(settings: TicketLimits) {
    this.#settings = settings;
    const path = join(this.#directory, "events.db");
    createDatabase(path);
    this.#db = openForWriting(path);
    // No test here cuts the power, and syncing the disk would take most of the time.
    this.#db.all("PRAGMA synchronous = OFF");
    this.#reader = Reader.open(path);
    this.#start();
  }

  /** The writer, to prepare the store between two sequences. */
  get writer(): Writer {
    return this.#writer;
  }

  /** Truncates the WAL: no checkpoint runs after a write transaction here. */
  emptyWal(): void {
    this.#db.all("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  /** Stops like the server, and starts again on the same files. */
  async restart(): Promise<void> {
    let isDrained = false;
    this.#edition.close();
    this.#queue.shutdown().then(() => isDrained = true);
    await this.settle();
    while (!isDrained) {
      this.#timers.runNext();
      await this.settle();
    }
    if (this.#timers.count > 0) throw new Error("a timer goes on after the stop");
    this.warnings.splice(0);
    this.#start();
  }

  /** Lets time pass. It runs the timers that fall due one by one, and settles after each. */
  async pass(seconds: number): Promise<void> {
    await this.#timers.advance(seconds * 1000, () => this.settle());
  }

  /** Waits until no work is pending. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_MACROTASKS;) {
      await macrotask();
      quiet = this.#port.isBusy || this.#isWritingFile ? 0 : quiet + 1;
    }
  }

  /** True while a pause or a resume has the turn, and writes its file. */
  get #isWritingFile(): boolean {
    const kind = this.#queue.active?.kind;
    return kind === "pause" || kind === "resume";
  }

  send({ method, path, ticket, body = "", half = false }: Request): Sent {
    const controller = new AbortController();
    const rest = Promise.withResolvers<void>();
    rest.promise.catch(() => {});
    if (!half) rest.resolve();
    const reply = this.#handler({
      method,
      target: path,
      header: (name) => name === "x-service-ticket" ? ticket : undefined,
      async body() {
        await rest.promise;
        return new TextEncoder().encode(body);
      },
      discardBody: () => rest.promise,
      releaseBody: () => {},
      disconnected: controller.signal,
    });
    return {
      answer: reply.then(answerOf).catch(() => undefined),
      leave() {
        controller.abort();
        rest.reject(new ClientDisconnected());
      },
      finish: () => rest.resolve(),
    };
  }

  [Symbol.dispose](): void {
    this.#edition.close();
    this.#timers[Symbol.dispose]();
    this.#writer.rollback();
    this.#reader.close();
    this.#db.close();
    Deno.removeSync(this.#directory, { recursive: true });
  }

  #start(): void {
    this.#writer = new Writer(this.#db, false, () => {});
    const store = this.#makeStore();
    const settings = { ...OTHER_SETTINGS, ...this.#settings };
    const queue = new WriteQueue({
      waitingMax: settings.maxQueuedTransactions,
      fullCode: "TransactionQueueFull",
      store,
    });
    const host = {
      settings,
      views: new StoreViews(store, queue, {
        document: () => Promise.reject(new Error("there is no catalog")),
      }),
      store,
      queue,
      persistedPause: pauseInFile(this.#directory),
      programMetrics: () => "",
      hashedEvents: () => undefined,
      reportFailure: (error: Error) => this.failures.push(error),
      warn: (text: string) => this.warnings.push(text),
    } as unknown as EditionHost;
    this.#queue = queue;
    this.#edition = editionC.open(host);
    this.#handler = makePipeline({
      routes: this.#edition.routes,
      tokens: undefined,
      bodyLimit: { bytesMax: 1_000_000, message: "" },
      log: { isWanted: () => false, write: () => {}, rejected: () => {} },
      metrics: { ended: () => {} },
      reportFailure: (error) => this.failures.push(error),
    });
  }

  /** Makes a `Store` whose writer and reader run in this thread. */
  #makeStore(): Store {
    const [inner, reader, port] = [this.#writer, this.#reader, this.#port];
    const writer: Partial<StoreWriter> = {
      group: (writes) => port.call(() => inner.group(writes)),
      deleteProjections: (type) => port.call(() => inner.deleteProjections(type)),
      reset: () => port.call(() => inner.reset()),
      optimize: () => port.call(() => inner.optimize()),
      begin: () => port.call(() => inner.begin()),
      writeInside: (write) => port.call(() => inner.writeInside(write)),
      readChunkInside: (request) => port.call(() => inner.readChunkInside(request)),
      readProjectionInside: (key) => port.call(() => inner.readProjectionInside(key)),
      commit: () => port.call(() => inner.commit()),
      rollback: () => port.call(() => inner.rollback()),
    };
    const reads: Store["reads"] = {
      inUse: 0,
      max: 1,
      chunk: (request) => Promise.resolve(reader.chunk(request)),
      prefetchChunk: () => undefined,
      projection: (key) => Promise.resolve(reader.projection(key)),
      projections: (request) => Promise.resolve(reader.projections(request)),
      subjects: (afterRow) => Promise.resolve(reader.subjects(afterRow)),
      subtree: (request) => Promise.resolve(reader.subtree(request)),
      tally: (afterSequence) => Promise.resolve(reader.tally(afterSequence)),
      ping: () => Promise.resolve(),
    };
    const feed = new CommitFeed(inner.opened);
    const counts = new TransactionCounts();
    return { writer, reads, feed, counts, usage: () => Promise.resolve({}) } as Store;
  }
}

/** Returns a directory in memory if there is one, because syncing the file of the pause to a disk is slow. */
function inMemory(): { dir?: string } {
  const dir = "/dev/shm";
  try {
    return Deno.statSync(dir).isDirectory ? { dir } : {};
  } catch {
    return {};
  }
}

async function answerOf({ status, headers, body }: Reply): Promise<Answer> {
  return {
    status,
    headers: new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    text: await textOf(body),
  };
}

async function textOf(body: Reply["body"]): Promise<string> {
  if (body === null || typeof body === "string") return body ?? "";
  const decoder = new TextDecoder();
  if (body instanceof Uint8Array) return decoder.decode(body);
  let text = "";
  for await (const piece of body) text += decoder.decode(piece, { stream: true });
  return text;
}
