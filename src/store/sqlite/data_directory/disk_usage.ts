import { withTimeout } from "../../../async/with_timeout.ts";
import { directoryOf } from "../../../files/paths.ts";
import type { StoreUsage } from "../../api/store.ts";

/** The timeout for a disk that does not answer, such as a network disk. */
const ANSWER_MILLISECONDS = 1000;

/** The disk usage of a store's files. Asking does not block the calling thread. */
export class DiskUsage {
  readonly #database: string;
  /** At most one query is in progress: a disk that hangs keeps a thread of the runtime busy. */
  #asked: Promise<StoreUsage> | undefined;

  /** @param path the database, which must be there */
  constructor(path: string) {
    // SQLite has the WAL next to the link's target.
    this.#database = Deno.realPathSync(path);
  }

  /** Leaves out the values that are not available, or not in time. */
  async ask(): Promise<StoreUsage> {
    this.#asked ??= this.#ask().finally(() => this.#asked = undefined);
    return await withTimeout(this.#asked, ANSWER_MILLISECONDS, () => ({}));
  }

  async #ask(): Promise<StoreUsage> {
    const [storeBytes, walBytes, disk] = await Promise.all([
      sizeOf(this.#database),
      sizeOf(`${this.#database}-wal`),
      spaceOf(directoryOf(this.#database)),
    ]);
    return { storeBytes, walBytes, ...disk };
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await Deno.stat(path)).size;
  } catch {
    return undefined;
  }
}

async function spaceOf(directory: string): Promise<Pick<StoreUsage, "freeBytes" | "diskBytes">> {
  try {
    // Loaded on demand: it takes 10 MB and 30 ms.
    const { statfs } = await import("node:fs/promises");
    const { bavail, blocks, bsize } = await statfs(directory);
    return { freeBytes: bavail * bsize, diskBytes: blocks * bsize };
  } catch {
    return {};
  }
}
