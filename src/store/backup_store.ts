import { StoreFileError } from "./database_file.ts";
import type { PreparedEvent } from "./events.ts";
import type { BackupCalls, OpenedBackup } from "./messages.ts";
import type { Origin } from "./origin.ts";
import { WorkerPort } from "./worker_port.ts";

/** Calls that wait for the worker at most: enough to keep it busy, few enough to bound the memory. */
const CALLS_MAX = 8;

/**
 * The database of a backup as the main thread sees it: everything is written by a worker, so that the next
 * events are read and made ready meanwhile. A call that failed makes every later one fail, but for `close`.
 */
export class BackupStore {
  readonly #path: string;
  readonly #worker: WorkerPort<BackupCalls>;
  readonly opened: OpenedBackup;
  #durableHead: number;
  /** Calls that were handed over, each begun when the one before has succeeded. */
  readonly #calls: Promise<void>[] = [];

  private constructor(path: string, worker: WorkerPort<BackupCalls>, opened: OpenedBackup) {
    this.#path = path;
    this.#worker = worker;
    this.opened = opened;
    this.#durableHead = opened.head;
  }

  /**
   * Opens a backup, or creates it with this origin. The directory's lock must be held.
   * @throws StoreFileError with one line that says what is wrong with which file
   */
  static async open(path: string, origin: Origin): Promise<BackupStore> {
    const worker = new WorkerPort<BackupCalls>(new URL("./backup_worker.ts", import.meta.url), "backup");
    try {
      return new BackupStore(path, worker, await worker.call("open", path, origin));
    } catch (error) {
      worker.terminate();
      const { name, message } = error as Error;
      throw new StoreFileError(name === "StoreFileError" ? message : `${path} can't be opened: ${message}`);
    }
  }

  /** Sequence of the last event that is known to be durable, 0 for none. */
  get durableHead(): number {
    return this.#durableHead;
  }

  /** Hands over events of one transaction. Resolves as soon as the next may be handed over. */
  append(events: readonly PreparedEvent[]): Promise<void> {
    return this.#handOver(() => this.#worker.call("append", events));
  }

  /** Ends the transaction; what went before is durable once `settled` resolves. */
  commit(chain: Uint8Array): Promise<void> {
    return this.#handOver(async () => {
      this.#durableHead = await this.#worker.call("commit", chain);
    });
  }

  /** Waits for everything that was handed over. @throws an error that names the file */
  settled(): Promise<void> {
    return this.#named(this.#calls.at(-1));
  }

  /** Undoes what was not committed, and leaves one file that is complete by itself. */
  async close(): Promise<void> {
    await this.#calls.at(-1)?.catch(() => {});
    try {
      await this.#worker.call("close");
    } catch (error) {
      throw new StoreFileError(`${this.#path} can't be closed: ${(error as Error).message}`);
    } finally {
      this.#worker.terminate();
    }
  }

  async #handOver(call: () => Promise<void>): Promise<void> {
    if (this.#calls.length >= CALLS_MAX) await this.#named(this.#calls.shift());
    const next = (this.#calls.at(-1) ?? Promise.resolve()).then(call);
    // Whoever waits for it hears of a failure.
    next.catch(() => {});
    this.#calls.push(next);
  }

  async #named(call: Promise<void> | undefined): Promise<void> {
    try {
      await call;
    } catch (error) {
      throw new StoreFileError(`${this.#path} can't be written: ${(error as Error).message}`);
    }
  }
}
