import type { AnyCodec, CallCodecs } from "./call_codec.ts";
import { SharedReader, SharedWriter } from "./shared_bytes.ts";

/*
 * The memory through which the main thread calls a worker. Each call has a slot, first for its arguments and then
 * for its value. Each side has a word that it changes after it has written, and the other side waits for that
 * change.
 *
 * The word for answers counts them. The word for calls counts them, and in its lowest bits the messages that were
 * sent instead. These two counts share a word, because a thread can wait for only one.
 */

/** The positions of the words. Only the main thread writes to the first word, and only the worker to the others. */
export const CALLS = 0;
export const ANSWERS = 1;
/** The average time of a recent call in the worker, in microseconds. */
export const MICROSECONDS = 2;
/**
 * 1 while the worker waits for a call and must be woken up, otherwise 0. The worker sets it before its last check.
 */
export const WAITS = 3;
const WORDS = 4;
const WORDS_BYTES = 16;

export const MESSAGES_BITS = 8;
export const MESSAGES_MASK = (1 << MESSAGES_BITS) - 1;
const COUNT_MASK = (1 << (32 - MESSAGES_BITS)) - 1;

/** The header of a slot: the codec that wrote it, the ID of its call, and the state of the call. */
const CODEC = 0;
const ID = 1;
const STATE = 2;
const HEADER_BYTES = 16;
const ALIGNMENT = 8;

/** Instead of a codec: the answer comes as a message. */
const MESSAGE = 0;

const READY = 0;
const BEGUN = 1;
const CANCELLED = 2;

/** The part of the memory for one call. */
export class SharedSlot {
  readonly writer: SharedWriter;
  readonly reader: SharedReader;
  readonly #header: Int32Array;
  readonly #codecs: CallCodecs;
  readonly #methods: readonly string[];

  constructor(memory: SharedArrayBuffer, start: number, end: number, codecs: CallCodecs) {
    this.#header = new Int32Array(memory, start, HEADER_BYTES / Int32Array.BYTES_PER_ELEMENT);
    this.writer = new SharedWriter(memory, start + HEADER_BYTES, end);
    this.reader = new SharedReader(memory, start + HEADER_BYTES);
    this.#codecs = codecs;
    this.#methods = [...codecs.keys()];
  }

  /** Makes it the slot of another call, whose arguments have been written. */
  ready(id: number, method: string): void {
    this.#header[CODEC] = this.#methods.indexOf(method) + 1;
    this.#header[ID] = id;
    Atomics.store(this.#header, STATE, READY);
  }

  get id(): number {
    return this.#header[ID]!;
  }

  get method(): string {
    return this.#methods[this.#header[CODEC]! - 1]!;
  }

  get codec(): AnyCodec {
    return this.#codecs.get(this.method)!;
  }

  /** True when the answer is not here, but comes as a message. */
  get isMessage(): boolean {
    return this.#header[CODEC] === MESSAGE;
  }

  becomeMessage(): void {
    this.#header[CODEC] = MESSAGE;
  }

  /** @returns false when the call was cancelled */
  begin(): boolean {
    return this.#leaveReady(BEGUN);
  }

  /** @returns false when the worker has begun the call */
  cancel(): boolean {
    return this.#leaveReady(CANCELLED);
  }

  #leaveReady(state: number): boolean {
    return Atomics.compareExchange(this.#header, STATE, READY, state) === READY;
  }
}

/** The words and the slots of a memory. Between them is a table with the slot of each call. */
export class SharedSlots {
  readonly memory: SharedArrayBuffer;
  readonly words: Int32Array;
  readonly all: readonly SharedSlot[];
  /** The indexes of the slots of the last calls. */
  readonly #order: Int32Array;

  /**
   * @param codecs the same ones, in the same order, on both sides
   * @param count the same on both sides
   */
  constructor(memory: SharedArrayBuffer, codecs: CallCodecs, count: number) {
    this.memory = memory;
    this.words = new Int32Array(memory, 0, WORDS);
    this.#order = new Int32Array(memory, WORDS_BYTES, count);
    const first = WORDS_BYTES + Math.ceil(this.#order.byteLength / ALIGNMENT) * ALIGNMENT;
    const bytes = Math.floor((memory.byteLength - first) / count / ALIGNMENT) * ALIGNMENT;
    this.all = Array.from({ length: count }, (_, i) => {
      const start = first + i * bytes;
      return new SharedSlot(memory, start, start + bytes, codecs);
    });
  }

  /** Assigns a slot to a call. */
  assign(number: number, place: SharedSlot): void {
    this.#order[number % this.all.length] = this.all.indexOf(place);
  }

  /** Returns the slot of a call that has not been answered. */
  of(number: number): SharedSlot {
    return this.all[this.#order[number % this.all.length]!]!;
  }
}

/** Returns how many calls have been made, as the word for calls says. */
export function callsIn(word: number): number {
  return (word >>> MESSAGES_BITS) & COUNT_MASK;
}

/** Returns the next number. After the largest number comes 0. */
export function following(number: number): number {
  return (number + 1) & COUNT_MASK;
}
