import { CommitFeed } from "../feed/commit_feed.ts";
import { ObservedWriter } from "../core/observed_writer.ts";
import { reportOnce } from "../core/report_once.ts";
import type { OpenedStore, Store, StoreNotice, StoreReads, StoreUsage, StoreWriter } from "../api/store.ts";
import { TransactionCounts } from "../core/transaction_counts.ts";
import { lockDataDirectory, makeDataDirectory } from "./data_directory/data_directory.ts";
import { StoreFileError, storePaths } from "./data_directory/database_file.ts";
import { DiskUsage } from "./data_directory/disk_usage.ts";
import { WRITER_CALLS } from "./workers/codecs.ts";
import { FilePreload } from "./workers/file_preload.ts";
import { startReader } from "./workers/pooled_reader.ts";
import { READER_LIMITS } from "./workers/reader_limits.ts";
import { ReaderPool } from "./workers/reader_pool.ts";
import { type Remote, RemoteWorker, type WorkerError } from "../../workers/remote_worker.ts";
import type { Writer, WriterEvent } from "./writing/writer.ts";

interface SqliteOptions {
  readonly dataDir: string;
  readonly readersMax: number;
  /** The names of identifiers that stand for a person. None by default. */
  readonly subjects?: readonly string[];
  /** Those that wrap the keys of subjects, in Base64; the first one wraps. None by default. */
  readonly masterKeys?: readonly string[];
  /** How much of a large file the system should cache after the start. Nothing by default. */
  readonly preloadBytes?: number;
}

type WriterWorker = RemoteWorker<typeof Writer, WriterEvent>;

/**
 * A store in one SQLite file. Its write transactions run in one worker and its reads in others, so no SQL runs on
 * this thread.
 */
export class SqliteStore implements Store {
  readonly opened: OpenedStore;
  readonly writer: StoreWriter;
  readonly reads: StoreReads;
  readonly feed: CommitFeed;
  readonly counts: TransactionCounts = new TransactionCounts();
  onNotice: (notice: StoreNotice) => void = () => {};
  readonly #disk: DiskUsage;
  readonly #preload: FilePreload | undefined;
  readonly #lock: Disposable;
  readonly #writer: WriterWorker;
  readonly #readers: ReaderPool;

  private constructor(
    lock: Disposable,
    writer: WriterWorker,
    readers: ReaderPool,
    opened: OpenedStore,
    disk: DiskUsage,
    preload: FilePreload | undefined,
  ) {
    this.opened = opened;
    this.#disk = disk;
    this.#preload = preload;
    this.feed = new CommitFeed(opened);
    this.writer = new ObservedWriter(workerWriter(writer.object), this.counts, this.feed);
    this.counts.health.onChange = (reason) => this.onNotice({ kind: "writes", reason });
    this.reads = this.#readers = readers;
    this.#lock = lock;
    this.#writer = writer;
    const report = reportOnce((notice) => this.onNotice(notice));
    writer.onDeath = (reason) => report({ kind: "broken", reason });
    writer.onNotification = (event) => {
      if (event.kind === "reset") return this.feed.reset(event.storeId);
      if (event.kind === "unanswered") return this.feed.committedMany(event.head);
      if (event.kind === "lost") readers.lost = event.reason;
      if (event.kind === "checkpointFailed") this.counts.checkpointsFailed++;
      report(event);
    };
  }

  /**
   * Locks the data directory and opens its database, creating what is missing.
   * @throws StoreFileError with one line that says what is wrong with which file
   */
  static async open(options: SqliteOptions): Promise<SqliteStore> {
    makeDataDirectory(options.dataDir);
    const lock = lockDataDirectory(options.dataDir);
    const path = storePaths(options.dataDir).database;
    const { masterKeys = [] } = options;
    const module = new URL("./workers/writer_worker.ts", import.meta.url);
    const writer = new RemoteWorker<typeof Writer, WriterEvent>(module, "writer", WRITER_CALLS);
    // Started in parallel with the writer, so that the first read after a start need not wait for the worker.
    const reader = startReader();
    try {
      const { files, ...opened } = await writer.open(path, options.subjects ?? [], masterKeys);
      const readers = new ReaderPool(path, options.readersMax, files, READER_LIMITS, masterKeys);
      readers.started = reader;
      const preload = FilePreload.ofLarge(path, options.preloadBytes ?? 0);
      return new SqliteStore(lock, writer, readers, opened, new DiskUsage(path), preload);
    } catch (error) {
      writer.terminate();
      reader.terminate();
      lock[Symbol.dispose]();
      const { name, message } = error as WorkerError;
      if (name === "StoreFileError") throw new StoreFileError(message);
      throw new StoreFileError(`${path} cannot be opened: ${message}`);
    }
  }

  get storeId(): string {
    return this.feed.state.storeId;
  }

  async usage(): Promise<StoreUsage> {
    // The paths may name other files now.
    return this.#readers.lost === undefined ? await this.#disk.ask() : {};
  }

  /** Does nothing: no other server may take over before the file is closed. */
  endWriting(): Promise<void> {
    return Promise.resolve();
  }

  /** Empties the WAL, closes every connection, then the other files, and releases the lock. */
  async close(): Promise<void> {
    await this.#readers.close();
    await this.#writer.object.close();
    this.#writer.terminate();
    await this.#preload?.close();
    this.#lock[Symbol.dispose]();
  }
}

/** The write transactions of the writer's worker. A group begins at once, so no write joins one later. */
function workerWriter(writer: Remote<Writer>): StoreWriter {
  const group: StoreWriter["group"] = (writes) => writer.group(writes);
  return Object.create(writer, { group: { value: group } });
}
