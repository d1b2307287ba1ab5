type Bytes = Uint8Array<ArrayBuffer>;

/** Where the bytes of a body go as they come. */
export interface BodyBytes {
  /** How many have come. */
  length: number;
  /** How many may come until more room is asked for. */
  capacityBytes: number;
  /** Takes the bytes from `start` to `end`. */
  add(bytes: Bytes, start: number, end: number): void;
  /** Memory for the next bytes, at most `wanted`. `length` is increased once they are there. */
  memory(wanted: number): Bytes;
}

/** Bytes that are kept. How many there will be is not known, or not to be relied upon. */
export class BufferedBytes implements BodyBytes {
  length = 0;
  capacityBytes: number;
  #bytes: Bytes;

  constructor(bytesAtFirst: number, capacityBytes: number) {
    this.#bytes = new Uint8Array(bytesAtFirst);
    this.capacityBytes = capacityBytes;
  }

  /** What has come so far. */
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

  /** It grows twofold, so that many small chunks do not cost a copy each, but never beyond its room. */
  memory(wanted: number): Bytes {
    if (this.length === this.#bytes.length) {
      const larger = new Uint8Array(Math.min(2 * this.#bytes.length, this.capacityBytes));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    return this.#bytes.subarray(this.length, this.length + wanted);
  }
}

/** All bytes of a body that is dropped go here, one over the other. */
const DROPPED_BYTES = 16 * 1024;

/** Bytes that nobody will look at. */
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
