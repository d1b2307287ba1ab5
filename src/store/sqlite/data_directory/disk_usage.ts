import { within } from "../../../time/within.ts";
import { directoryOf } from "../../../files/paths.ts";
import type { StoreUsage } from "../../usage.ts";

/** A disk that does not answer in this time, as one in the network may not, is not waited for. */
const ANSWER_MILLISECONDS = 1000;

/** What the files of a store take of their disk. Asked without holding up the thread that asks. */
export class DiskUsage {
  readonly #database: string;
  /** Only one question at a time: a disk that hangs keeps a thread of the runtime busy. */
  #asked: Promise<StoreUsage> | undefined;

  /** @param path the database, which must be there */
  constructor(path: string) {
    // The WAL is beside the end of a link.
    this.#database = Deno.realPathSync(path);
  }

  /** What cannot be asked, or not in time, is left out. */
  async ask(): Promise<StoreUsage> {
    this.#asked ??= this.#ask().finally(() => this.#asked = undefined);
    return await within(this.#asked, ANSWER_MILLISECONDS, () => ({}));
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
    // Loaded when somebody wants to know: it takes 10 MB and 30 ms.
    const { statfs } = await import("node:fs/promises");
    const { bavail, blocks, bsize } = await statfs(directory);
    return { freeBytes: bavail * bsize, diskBytes: blocks * bsize };
  } catch {
    return {};
  }
}
