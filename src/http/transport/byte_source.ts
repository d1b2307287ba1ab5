import { tickEnd, tickIsLong } from "../tick.ts";

/** Bytes read in advance while a request runs. The server disconnects a client that sends more. */
const AHEAD_BYTES_MAX = 64 * 1024;

const READ_BYTES = 8 * 1024;

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * The bytes that a client sends. At most one read is in progress at a time. It may stay in progress while a request
 * runs, which is how the server notices that the client has disconnected.
 */
export class ByteSource {
  readonly #conn: { read(into: Bytes): Promise<number | null> };
  #buffer: Bytes = new Uint8Array(READ_BYTES);
  #start = 0;
  #end = 0;
  #reading: Promise<boolean> | undefined;
  #received = 0;

  constructor(conn: { read(into: Bytes): Promise<number | null> }) {
    this.#conn = conn;
  }

  /** The bytes that were received and not taken yet. Valid until the next read. */
  get bytes(): Bytes {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  get length(): number {
    return this.#end - this.#start;
  }

  get received(): number {
    return this.#received;
  }

  /** Takes the first received bytes, and returns a copy of them. */
  take(count: number): Bytes {
    const taken = new Uint8Array(count);
    taken.set(this.#buffer.subarray(this.#start, this.#start + count));
    this.skip(count);
    return taken;
  }

  skip(count: number): void {
    this.#start += count;
    if (this.#start < this.#end || this.#reading !== undefined) return;
    this.#start = this.#end = 0;
    // A long head or many pipelined requests made it grow. An idle connection should not keep it that large.
    if (this.#buffer.length > READ_BYTES) this.#buffer = new Uint8Array(READ_BYTES);
  }

  /** Waits for more bytes. @returns false when there will be none */
  more(): Promise<boolean> {
    if (this.#reading === undefined) {
      this.#makeSpace();
      this.#reading = this.#read(this.#buffer.subarray(this.#end), false);
    }
    return this.#reading;
  }

  /**
   * Fills `into` until it is full, with received bytes first and then from the client.
   * @param onProgress called after each read
   * @returns false when the client disconnected before that
   */
  async fill(into: Bytes, onProgress: () => void): Promise<boolean> {
    let filled = 0;
    while (filled < into.length) {
      if (this.#start < this.#end) {
        const taken = this.bytes.subarray(0, into.length - filled);
        into.set(taken, filled);
        filled += taken.length;
        this.skip(taken.length);
        continue;
      }
      // Large bodies go directly into the caller's memory, unless a read is already in progress.
      if (this.#reading !== undefined || into.length - filled < READ_BYTES) {
        if (!await this.more()) return false;
      } else {
        // A caller of `more` waits for this read, too.
        const before = this.#received;
        this.#reading = this.#read(into.subarray(filled), true);
        if (!await this.#reading) return false;
        filled += this.#received - before;
      }
      onProgress();
    }
    return true;
  }

  /**
   * Keeps reading while a request runs, so that it notices when the client disconnects. It stores the bytes that the
   * client sends in the meantime.
   * @returns when the client has disconnected, has sent too much, or `stop` says that the request is over
   */
  async watch(
    stop: () => boolean,
    bytesMax: number = AHEAD_BYTES_MAX,
  ): Promise<"gone" | "flooding" | "stopped"> {
    while (!stop()) {
      if (this.length >= bytesMax) return "flooding";
      if (!await this.more()) return "gone";
    }
    return "stopped";
  }

  /** @param isPast true to read past the buffer, into the caller's memory */
  async #read(into: Bytes, isPast: boolean): Promise<boolean> {
    let count = 0;
    try {
      count = await this.#conn.read(into) ?? 0;
      while (tickIsLong()) await tickEnd();
    } catch {
      // The client has reset the connection, or the server has closed it.
    }
    this.#received += count;
    if (!isPast) this.#end += count;
    this.#reading = undefined;
    return count > 0;
  }

  /** Moves the remaining bytes to the front, or into a larger buffer. No read may be in progress. */
  #makeSpace(): void {
    if (this.#buffer.length - this.#end >= READ_BYTES / 2) return;
    const kept = this.bytes;
    const needed = kept.length + READ_BYTES;
    const larger = needed > this.#buffer.length ? new Uint8Array(2 * needed) : this.#buffer;
    larger.set(kept);
    this.#buffer = larger;
    this.#end = kept.length;
    this.#start = 0;
  }
}
