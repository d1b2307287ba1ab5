import { RemoteWorker } from "../../../workers/remote_worker.ts";
import type { Preload } from "../data_directory/preload.ts";

/** Up to this many bytes, the requests themselves soon bring the file into the cache. The worker takes 12 MB of memory. */
const SMALL_BYTES = 1 << 26;

/** Starting a worker blocks this thread for about 15 ms. The server should listen before. */
const START_MILLISECONDS = 200;

/**
 * FilePreload makes the system cache the database file after a start. On a file that is not cached, a small read
 * waits for some ten random reads of the disk, one after the other, and the system reads nothing ahead of them: the
 * file would stay slow for hours.
 */
export class FilePreload {
  readonly #start: ReturnType<typeof setTimeout>;
  /** Resolves with the worker when it has nothing left to read. */
  #reading: Promise<RemoteWorker<typeof Preload>> | undefined;
  #isClosing = false;

  /** Preloads a large file. A small one needs no preload. */
  static ofLarge(path: string, bytesMax: number): FilePreload | undefined {
    const isLarge = bytesMax > 0 && Deno.statSync(path).size > SMALL_BYTES;
    return isLarge ? new FilePreload(path, bytesMax) : undefined;
  }

  private constructor(path: string, bytesMax: number) {
    this.#start = setTimeout(() => this.#reading = this.#read(path, bytesMax), START_MILLISECONDS);
  }

  /** Closes the file and ends the worker. Every connection of SQLite must be closed before. */
  async close(): Promise<void> {
    clearTimeout(this.#start);
    this.#isClosing = true;
    const worker = await this.#reading;
    await Promise.allSettled([worker?.object.close()]);
    worker?.terminate();
  }

  async #read(path: string, bytesMax: number): Promise<RemoteWorker<typeof Preload>> {
    const worker = new RemoteWorker<typeof Preload>(
      new URL("./preload_worker.ts", import.meta.url),
      "preload",
    );
    try {
      await worker.open(path, bytesMax);
      while (!this.#isClosing && await worker.object.slice());
    } catch {
      // A block that cannot be read fails the requests that need it. No request needs the preload.
    }
    return worker;
  }
}
