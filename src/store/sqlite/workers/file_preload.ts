import { RemoteWorker } from "../../../workers/remote_worker.ts";
import type { Preload } from "../data_directory/preload.ts";

/** Up to this many bytes, the requests themselves soon bring the file into the cache. The worker takes 12 MB of memory. */
const SMALL_BYTES = 1 << 26;

/**
 * FilePreload makes the system cache the database file after a start. On a file that is not cached, a small read
 * waits for some ten random reads of the disk, one after the other, and the system reads nothing ahead of them: the
 * file would stay slow for hours.
 */
export class FilePreload {
  readonly #worker: RemoteWorker<typeof Preload>;
  readonly #read: Promise<void>;
  #isClosing = false;

  /** Starts the preload of a large file. A small one needs none. */
  static ofLarge(path: string, bytesMax: number): FilePreload | undefined {
    const isLarge = bytesMax > 0 && Deno.statSync(path).size > SMALL_BYTES;
    return isLarge ? new FilePreload(path, bytesMax) : undefined;
  }

  private constructor(path: string, bytesMax: number) {
    this.#worker = new RemoteWorker(new URL("./preload_worker.ts", import.meta.url), "preload");
    // A block that cannot be read fails the requests that need it. No request needs the preload.
    this.#read = this.#readAll(path, bytesMax).catch(() => {});
  }

  /** Ends the worker. Every connection of SQLite must be closed before. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#read;
    this.#worker.terminate();
  }

  async #readAll(path: string, bytesMax: number): Promise<void> {
    await this.#worker.open(path, bytesMax);
    while (!this.#isClosing && await this.#worker.object.slice());
  }
}
