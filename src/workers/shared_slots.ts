import type { AnyCodec, CallCodecs } from "./call_codec.ts";
import { SharedReader, SharedWriter } from "./shared_bytes.ts";

/*
 * The memory through which the main thread calls a worker. Each call has a place in it: first its arguments are there,
 * then its value. Each side has a word that it changes when it has written, and the other waits for that.
 *
 * The word of the answers counts them. The word of the calls counts these, and in its lowest bits the messages that
 * were sent instead: one word, since a thread can wait for one only.
 */

/** The positions of the words. Nobody but the main thread writes to the first, nobody but the worker to the others. */
export const CALLS = 0;
export const ANSWERS = 1;
/** How many microseconds a call takes the worker, as far as the last ones show. */
export const MICROSECONDS = 2;
/** Whether the worker waits for a call, and has to be woken up: 1 or 0. It says so before it looks a last time. */
export const WAITS = 3;
const WORDS = 4;
const WORDS_BYTES = 16;

export const MESSAGES_BITS = 8;
export const MESSAGES_MASK = (1 << MESSAGES_BITS) - 1;
const COUNT_MASK = (1 << (32 - MESSAGES_BITS)) - 1;

/** What a place begins with: which codec wrote it, whose call it is, and how far that has come. */
const CODEC = 0;
const ID = 1;
const STATE = 2;
const HEADER_BYTES = 16;
const ALIGNMENT = 8;

/** In the place of a codec. */
const MESSAGE = 0;

const READY = 0;
const BEGUN = 1;
const CANCELLED = 2;

/** Where one call is in the memory. */
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

  /** Makes it the place of another call, whose arguments have been written. */
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

  /** Whether the answer is not here: it comes as a message. */
  get isMessage(): boolean {
    return this.#header[CODEC] === MESSAGE;
  }

  becomeMessage(): void {
    this.#header[CODEC] = MESSAGE;
  }

  /** @returns false when the call was taken back */
  begin(): boolean {
    return this.#leaveReady(BEGUN);
  }

  /** @returns false when the call has begun */
  cancel(): boolean {
    return this.#leaveReady(CANCELLED);
  }

  #leaveReady(state: number): boolean {
    return Atomics.compareExchange(this.#header, STATE, READY, state) === READY;
  }
}

/** The words and the places of a memory, and between them which place each call has. */
export class SharedSlots {
  readonly memory: SharedArrayBuffer;
  readonly words: Int32Array;
  readonly all: readonly SharedSlot[];
  /** The positions of the places of the last calls. */
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

  /** Gives a call its place. */
  assign(number: number, place: SharedSlot): void {
    this.#order[number % this.all.length] = this.all.indexOf(place);
  }

  /** The place of a call that has not been answered. */
  of(number: number): SharedSlot {
    return this.all[this.#order[number % this.all.length]!]!;
  }
}

/** How many calls have been made, as their word says. */
export function callsIn(word: number): number {
  return (word >>> MESSAGES_BITS) & COUNT_MASK;
}

/** The number after this one. After the largest comes 0. */
export function following(number: number): number {
  return (number + 1) & COUNT_MASK;
}
