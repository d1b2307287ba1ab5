type Bytes = Uint8Array<ArrayBuffer>;

/** Stores the bytes of a body as they are received. */
export interface BodyBytes {
  length: number;
  /** The number of bytes that fit until the body must reserve more memory. */
  capacityBytes: number;
  add(bytes: Bytes, start: number, end: number): void;
  /** Returns memory for the next bytes, at most `wanted`. The caller increases `length` once they are there. */
  memory(wanted: number): Bytes;
}

/** Bytes that are stored. Their number is unknown, or only announced by the client. */
export class BufferedBytes implements BodyBytes {
  length = 0;
  capacityBytes: number;
  #bytes: Bytes;

  constructor(bytesAtFirst: number, capacityBytes: number) {
    this.#bytes = new Uint8Array(bytesAtFirst);
    this.capacityBytes = capacityBytes;
  }

  get bytes(): Bytes {
    return this.#bytes.subarray(0, this.length);
  }

  add(bytes: Bytes, start: number, end: number): void {
    for (let at = start; at < end;) {
      const memory = this.memory(end - at);
      // For a few bytes a view costs more than a loop.
      if (memory.length < 16) { for (let i = 0; i < memory.length; i++) memory[i] = bytes[at + i]!; }
      else memory.set(bytes.subarray(at, at + memory.length));
      this.length += memory.length;
      at += memory.length;
    }
  }

  /** The memory grows twofold, so that many small chunks do not cost a copy each, but never beyond its capacity. */
  memory(wanted: number): Bytes {
    if (this.length === this.#bytes.length) {
      const larger = new Uint8Array(Math.min(2 * this.#bytes.length, this.capacityBytes));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    return this.#bytes.subarray(this.length, this.length + wanted);
  }
}

/** All bytes of a dropped body are written here, over one another. */
const DROPPED_BYTES = 16 * 1024;

/** Bytes that are received and never read. */
export class DroppedBytes implements BodyBytes {
  length = 0;
  readonly capacityBytes = Infinity;
  #memory: Bytes | undefined;

  add(_: Bytes, start: number, end: number): void {
    this.length += end - start;
  }

  memory(wanted: number): Bytes {
    this.#memory ??= new Uint8Array(Math.min(wanted, DROPPED_BYTES));
    return this.#memory.subarray(0, wanted);
  }
}
