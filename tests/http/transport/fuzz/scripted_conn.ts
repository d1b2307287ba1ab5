type Bytes = Uint8Array<ArrayBuffer>;

/** The receiving end of a connection whose client sends given pieces, each in a packet, and then disconnects. */
export class ScriptedConn {
  /** The size of the buffer that each read offered. */
  readonly offered: number[] = [];
  /** The buffer of the last read. */
  lastTarget: Bytes | undefined;
  readonly #pieces: Bytes[];
  #reading = false;

  constructor(pieces: readonly Bytes[]) {
    this.#pieces = pieces.filter(({ length }) => length > 0);
  }

  async read(into: Bytes): Promise<number | null> {
    if (this.#reading) throw new Error("two reads at a time");
    if (into.length === 0) throw new Error("a read into nothing");
    this.#reading = true;
    this.offered.push(into.length);
    this.lastTarget = into;
    await Promise.resolve();
    this.#reading = false;
    const piece = this.#pieces.shift();
    if (piece === undefined) return null;
    into.set(piece.subarray(0, into.length));
    if (piece.length > into.length) this.#pieces.unshift(piece.subarray(into.length));
    return Math.min(piece.length, into.length);
  }
}

interface Waiting {
  readonly into: Bytes;
  readonly resolve: (count: number | null) => void;
  readonly reject: (error: Error) => void;
}

/** A connection whose client sends when the test calls `send`. */
export class GraceConn {
  #waiting: Waiting | undefined;

  read(into: Bytes): Promise<number | null> {
    if (this.#waiting !== undefined) throw new Error("two reads at a time");
    return new Promise((resolve, reject) => this.#waiting = { into, resolve, reject });
  }

  get waiting(): boolean {
    return this.#waiting !== undefined;
  }

  /** Sends bytes of the client, at most as many as the read takes. @returns the number of bytes taken */
  send(bytes: Bytes): number {
    const { into, resolve } = this.#take();
    into.set(bytes.subarray(0, into.length));
    const count = Math.min(bytes.length, into.length);
    resolve(count);
    return count;
  }

  leave(): void {
    this.#take().resolve(null);
  }

  reset(): void {
    this.#take().reject(new Deno.errors.ConnectionReset("reset by the client"));
  }

  #take(): Waiting {
    if (this.#waiting === undefined) throw new Error("nobody reads");
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }
}
