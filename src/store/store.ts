import { Refusal } from "../model/errors.ts";
import type { ProjectionKey } from "../model/projection.ts";
import { lockDataDirectory, makeDataDirectory } from "./data_directory.ts";
import { StoreFileError, storePaths } from "./database_file.ts";
import type { AloneEnd, GroupEnd, OpenedStore, ReaderCalls, WriterCalls } from "./messages.ts";
import type { StoredProjection } from "./projections.ts";
import type { Chunk, ChunkRequest } from "./read_chunk.ts";
import { ReaderPool } from "./reader_pool.ts";
import type { StoreWrite } from "./run_write.ts";
import { SCHEMA_VERSION } from "./schema.ts";
import { WorkerError, WorkerPort } from "./worker_port.ts";
import type { TurnFailure } from "./turns.ts";
import type { Verdict } from "./writer.ts";

/**
 * The store as the main thread sees it: calls to the writer worker, one at a time (the write queue sees to
 * that), and reads on a pool of readers. No SQL runs on the calling thread.
 */
export class Store {
  readonly #lock: Disposable;
  readonly #writer: WorkerPort<WriterCalls>;
  readonly #readers: ReaderPool;
  readonly readersMax: number;
  #storeId: string;
  readonly opened: OpenedStore;

  private constructor(
    lock: Disposable,
    writer: WorkerPort<WriterCalls>,
    readers: ReaderPool,
    readersMax: number,
    opened: OpenedStore,
  ) {
    this.#lock = lock;
    this.#writer = writer;
    this.#readers = readers;
    this.readersMax = readersMax;
    this.opened = opened;
    this.#storeId = opened.storeId;
  }

  /**
   * Locks the data directory and opens its database, creating what is missing.
   * @throws StoreFileError with one line that says what is wrong with which file
   */
  static async open(options: { dataDir: string; readersMax: number }): Promise<Store> {
    makeDataDirectory(options.dataDir);
    const lock = lockDataDirectory(options.dataDir);
    const path = storePaths(options.dataDir).database;
    const writer = new WorkerPort<WriterCalls>(new URL("./writer_worker.ts", import.meta.url), "writer");
    try {
      const opened = await writer.call("open", path);
      return new Store(
        lock,
        writer,
        new ReaderPool(path, options.readersMax),
        options.readersMax,
        opened,
      );
    } catch (error) {
      writer.terminate();
      lock[Symbol.dispose]();
      const { name, message } = error as WorkerError;
      if (name === "StoreFileError") throw new StoreFileError(message);
      throw new StoreFileError(`${path} (schema version ${SCHEMA_VERSION}) can't be opened: ${message}`);
    }
  }

  /** Called with the reason when no write can be trusted any more and the process should end. */
  set onBroken(report: (reason: string) => void) {
    this.#writer.onBroken = report;
  }

  get readersInUse(): number {
    return this.#readers.inUse;
  }

  /** The store ID as of the last turn. */
  get storeId(): string {
    return this.#storeId;
  }

  /** Runs writes in one transaction, in order. */
  group(writes: readonly StoreWrite[]): Promise<GroupEnd> {
    return this.#writer.call("group", writes);
  }

  deleteProjections(type: string | undefined): Promise<TurnFailure | undefined> {
    return this.#writer.call("deleteProjections", type);
  }

  /** Deletes everything and starts a new history under a new store ID. */
  async reset(): Promise<TurnFailure | undefined> {
    const { failure, storeId } = await this.#writer.call("reset");
    this.#storeId = storeId;
    return failure;
  }

  /** Keeps a pause that survives a restart, or ends it. */
  setPaused(sinceMicros: number | undefined): Promise<AloneEnd> {
    return this.#writer.call("setPaused", sinceMicros);
  }

  optimize(): Promise<TurnFailure | undefined> {
    return this.#writer.call("optimize");
  }

  /**
   * Opens a turn that stays open over several calls: those that end with `Inside` see what was written in it.
   * It ends with `commit`, `rollback`, or the failure of a call inside of it.
   */
  begin(): Promise<AloneEnd> {
    return this.#writer.call("begin");
  }

  writeInside(write: StoreWrite): Promise<Verdict> {
    return this.#writer.call("writeInside", write);
  }

  readChunkInside(request: ChunkRequest): Promise<Chunk> {
    return this.#writer.call("readChunkInside", request);
  }

  readProjectionInside(key: ProjectionKey): Promise<StoredProjection | undefined> {
    return this.#writer.call("readProjectionInside", key);
  }

  commit(): Promise<TurnFailure | undefined> {
    return this.#writer.call("commit");
  }

  /** Undoes the open turn, if there is one. */
  rollback(): Promise<void> {
    return this.#writer.call("rollback");
  }

  readChunk(request: ChunkRequest): Promise<Chunk> {
    return this.#readers.call("events", request);
  }

  readProjection(key: ProjectionKey): Promise<ReturnType<ReaderCalls["projection"]>> {
    return this.#readers.call("projection", key);
  }

  /** @throws Refusal `Unavailable` when a trivial query on a reader fails */
  async ping(): Promise<void> {
    try {
      await this.#readers.call("ping");
    } catch (error) {
      throw new Refusal("Unavailable", (error as Error).message);
    }
  }

  /** Empties the WAL, closes every connection and releases the lock. Nothing else may be under way. */
  async close(): Promise<void> {
    await this.#readers.close();
    await this.#writer.call("close");
    this.#writer.terminate();
    this.#lock[Symbol.dispose]();
  }
}
