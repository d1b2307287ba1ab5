import { StoreFileError } from "../data_directory/database_file.ts";
import type { PreparedEvent } from "../../core/prepare_event.ts";
import type { TreeBlocks } from "../../../model/block_tree.ts";
import type { Origin } from "../tables/origin.ts";
import { RemoteWorker } from "../../../workers/remote_worker.ts";
import type { BackupWriter, OpenedBackup } from "./backup_writer.ts";

/** The most calls that may wait for the worker: enough to keep it busy, few enough to bound the memory. */
const HANDED_OVER_MAX = 8;

/**
 * The database of a backup, for the main thread. A worker does all the writing, while the main thread reads and
 * prepares the next events. After a failed call, every later one fails, except for `close`.
 */
export class BackupStore {
  readonly #path: string;
  readonly #worker: RemoteWorker<typeof BackupWriter>;
  readonly opened: OpenedBackup;
  #durableHead: number;
  /** Calls that were handed over. Each begins once the previous one has succeeded. */
  readonly #handedOver: Promise<void>[] = [];

  private constructor(path: string, worker: RemoteWorker<typeof BackupWriter>, opened: OpenedBackup) {
    this.#path = path;
    this.#worker = worker;
    this.opened = opened;
    this.#durableHead = opened.head;
  }

  /**
   * Opens a backup, or creates it with this origin. The directory's lock must be held.
   * @param isSealed whether the source encrypts payloads
   * @param upgrade the tree of a backup that has none
   * @throws StoreFileError with one line that says what is wrong with which file
   */
  static async open(
    path: string,
    origin: Origin,
    isSealed: boolean,
    upgrade?: TreeBlocks,
  ): Promise<BackupStore> {
    const worker = new RemoteWorker<typeof BackupWriter>(
      new URL("../workers/backup_worker.ts", import.meta.url),
      "backup",
    );
    try {
      return new BackupStore(path, worker, await worker.open(path, origin, isSealed, upgrade));
    } catch (error) {
      worker.terminate();
      const { name, message } = error as Error;
      throw new StoreFileError(name === "StoreFileError" ? message : `${path} cannot be opened: ${message}`);
    }
  }

  /** Sequence of the last event that is known to be durable, 0 for none. */
  get durableHead(): number {
    return this.#durableHead;
  }

  /** Hands over events of one transaction. Resolves as soon as the caller may hand over the next ones. */
  append(events: readonly PreparedEvent[]): Promise<void> {
    return this.#handOver(() => this.#worker.object.append(events));
  }

  /**
   * Ends the transaction; everything before it is durable once `settled` resolves.
   * @param tree the blocks of the tree that have changed
   */
  commit(tree: TreeBlocks): Promise<void> {
    return this.#handOver(async () => {
      this.#durableHead = await this.#worker.object.commit(tree);
    });
  }

  /** Waits for everything that was handed over. @throws an error that names the file */
  settled(): Promise<void> {
    return this.#named(this.#handedOver.at(-1));
  }

  /** Undoes uncommitted work, and leaves one file that is complete by itself. */
  async close(): Promise<void> {
    await this.#handedOver.at(-1)?.catch(() => {});
    try {
      await this.#worker.object.close();
    } catch (error) {
      throw new StoreFileError(`${this.#path} cannot be closed: ${(error as Error).message}`);
    } finally {
      this.#worker.terminate();
    }
  }

  async #handOver(call: () => Promise<void>): Promise<void> {
    if (this.#handedOver.length >= HANDED_OVER_MAX) await this.#named(this.#handedOver.shift());
    const next = (this.#handedOver.at(-1) ?? Promise.resolve()).then(call);
    // The caller awaiting it sees the failure.
    next.catch(() => {});
    this.#handedOver.push(next);
  }

  async #named(call: Promise<void> | undefined): Promise<void> {
    try {
      await call;
    } catch (error) {
      throw new StoreFileError(`${this.#path} cannot be written: ${(error as Error).message}`);
    }
  }
}
