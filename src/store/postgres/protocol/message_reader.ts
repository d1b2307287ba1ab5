import type { Transport } from "./transport.ts";

/** One message of PostgreSQL. */
export interface Message {
  /** The letter for the kind of message. */
  readonly kind: string;
  /** The rest of the message. Its memory is not used again. */
  readonly body: Uint8Array<ArrayBuffer>;
}

const HEAD_BYTES = 5;
const MEMORY_BYTES = 64 * 1024;

/** Longer messages are invalid: a value has at most 1 GB. */
const MESSAGE_BYTES_MAX = 2 ** 30 + 2 ** 20;

/** Splits received bytes into messages. */
export class MessageReader {
  #bytesMax: number;
  readonly #source: Pick<Transport, "read">;
  #memory = new Uint8Array(MEMORY_BYTES);
  #start = 0;
  #end = 0;

  /** @param bytesMax longer messages are rejected until `trust` is called */
  constructor(source: Pick<Transport, "read">, bytesMax = MESSAGE_BYTES_MAX) {
    this.#source = source;
    this.#bytesMax = bytesMax;
  }

  /** From now on, messages may be as long as the protocol allows. */
  trust(): void {
    this.#bytesMax = MESSAGE_BYTES_MAX;
  }

  /** Returns the next message, once it was received completely. */
  received(): Message | undefined {
    const length = this.#lengthOfNext();
    if (length === undefined || this.#end - this.#start < length) return undefined;
    const kind = String.fromCharCode(this.#memory[this.#start]!);
    const body = this.#memory.subarray(this.#start + HEAD_BYTES, this.#start + length);
    this.#start += length;
    return { kind, body };
  }

  /**
   * Waits for more bytes.
   * @returns false when the connection has ended
   */
  async receive(): Promise<boolean> {
    this.#ensureCapacity();
    const count = await this.#source.read(this.#memory.subarray(this.#end));
    if (count === null) return false;
    this.#end += count;
    return true;
  }

  #lengthOfNext(): number | undefined {
    if (this.#end - this.#start < HEAD_BYTES) return undefined;
    const view = new DataView(this.#memory.buffer, this.#start, HEAD_BYTES);
    const length = view.getInt32(1) + 1;
    if (length < HEAD_BYTES || length > this.#bytesMax) throw new Error("this is not PostgreSQL");
    return length;
  }

  /**
   * Moves unread bytes to new memory when the next message would not fit. Messages that were returned keep the old
   * memory.
   */
  #ensureCapacity(): void {
    const needed = this.#lengthOfNext() ?? HEAD_BYTES;
    const isFull = this.#end === this.#memory.length;
    if (!isFull && this.#start + needed <= this.#memory.length) return;
    const larger = new Uint8Array(Math.max(MEMORY_BYTES, needed));
    larger.set(this.#memory.subarray(this.#start, this.#end));
    this.#end -= this.#start;
    this.#start = 0;
    this.#memory = larger;
  }
}
