import { releaseBytes } from "../../workers/short_bytes.ts";
import type { Chunk } from "../api/chunk.ts";

/** The most chunks that are read ahead at once, so that clients who stop reading hold little memory. */
const CHUNKS_MAX = 8;

/** Chunks that are read while the clients of their pages still receive the chunks before them. */
export class ReadAhead {
  #count = 0;

  /** @returns undefined when there are enough of them */
  begin(read: () => Promise<Chunk>): PrefetchedChunk | undefined {
    if (this.#count === CHUNKS_MAX) return undefined;
    this.#count++;
    return new PrefetchedChunk(read(), () => this.#count--);
  }
}

/** A chunk that was requested early. Its page disposes of it, whether or not it has taken it. */
export class PrefetchedChunk implements Disposable {
  readonly #chunk: Promise<Chunk>;
  readonly #onEnd: () => void;
  #isTaken = false;

  constructor(chunk: Promise<Chunk>, onEnd: () => void) {
    this.#chunk = chunk;
    this.#onEnd = onEnd;
    // Until the chunk is taken, no caller awaits it.
    chunk.catch(() => {});
  }

  /** Throws like `StoreReads.chunk`. */
  take(): Promise<Chunk> {
    this.#isTaken = true;
    return this.#chunk;
  }

  [Symbol.dispose](): void {
    this.#onEnd();
    if (!this.#isTaken) this.#chunk.then(({ lines }) => releaseBytes(lines), () => {});
  }
}
