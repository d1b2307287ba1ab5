import type { Answer } from "./answer.ts";
import type { CallCodecs } from "./call_codec.ts";
import { SharedReader, SharedWriter } from "./shared_bytes.ts";

/*
 * Calls through memory that the main thread shares with a worker, one at a time: first the arguments are in it, then
 * the value takes their place. Each side has a word that it changes when it has written, and the other waits for that.
 *
 * A message costs both threads an event, a task and copies of all objects, and the worker has to return to its event
 * loop for it. Here a worker that has answered simply waits for the next call, which makes a call and its answer take
 * half the time. What has no codec or is too long is sent as a message; the words then say that there is one.
 */

/** The words: of the main thread, and of the worker. Nobody else writes to them. */
const CALL = 0;
const ANSWER = 1;
const WORDS = 2;
const WORDS_BYTES = 8;

type Word = typeof CALL | typeof ANSWER;

/*
 * A word holds a count, and in its lowest bits which codec wrote the memory. One word, since two could not be read at
 * the same moment: whoever looks late for one call must not take the half-announced next one for it.
 */
const CODEC_BITS = 8;
const CODEC_MASK = (1 << CODEC_BITS) - 1;

/** In the place of a codec. */
const MESSAGE = 0;

/** A worker sees to its timers and messages at least so often. */
const EVENT_LOOP_MILLISECONDS = 20;

export class SharedCalls {
  readonly memory: SharedArrayBuffer;
  readonly #codecs: CallCodecs;
  readonly #methods: readonly string[];
  readonly #words: Int32Array;
  readonly #writer: SharedWriter;
  readonly #reader: SharedReader;

  /** @param codecs the same ones, in the same order, on both sides */
  constructor(memory: SharedArrayBuffer, codecs: CallCodecs) {
    this.memory = memory;
    this.#codecs = codecs;
    this.#methods = [...codecs.keys()];
    this.#words = new Int32Array(memory, 0, WORDS);
    this.#writer = new SharedWriter(memory, WORDS_BYTES);
    this.#reader = new SharedReader(memory, WORDS_BYTES);
  }

  /**
   * Calls a method.
   * @returns whether the answer is in the memory, or else comes as a message; undefined, with nothing called, when the
   *   call must be made by a message
   */
  call(method: string, args: readonly unknown[]): Promise<boolean> | undefined {
    const codec = this.#codecs.get(method);
    if (codec === undefined) return undefined;
    const to = this.#writer.restart();
    if (!codec.writeArgs(to, ...args) || to.isFull) return undefined;
    const before = Atomics.load(this.#words, ANSWER);
    this.#announce(CALL, this.#codecOf(method));
    return this.#untilChanged(ANSWER, before).then((answer) => (answer & CODEC_MASK) !== MESSAGE);
  }

  /** The value that the worker has left in the memory. */
  value(method: string): unknown {
    return this.#codecs.get(method)!.readValue(this.#reader.restart());
  }

  /** Sends the worker, which may be waiting for a call, to its messages. */
  callByMessage(): void {
    this.#announce(CALL, MESSAGE);
  }

  /** Ends the wait for an answer of a worker that has died, as if it came by a message. */
  giveUp(): void {
    this.#announce(ANSWER, MESSAGE);
  }

  /** Answers the calls that come, in the worker, for as long as it lives. */
  async serve(server: CallServer): Promise<never> {
    for (let seen = 0;;) {
      seen = await this.#untilChanged(CALL, seen);
      // The message comes while this waits for the next call.
      if (this.#methodOf(seen) === undefined) continue;
      const until = performance.now() + EVENT_LOOP_MILLISECONDS;
      for (let method = this.#methodOf(seen); method !== undefined; method = this.#methodOf(seen)) {
        this.#answer(method, server);
        if (performance.now() >= until || !this.#blocksUntilChanged(CALL, seen)) break;
        seen = Atomics.load(this.#words, CALL);
      }
      await eventLoopTurn();
    }
  }

  #answer(method: string, server: CallServer): void {
    const { readArgs, writeValue } = this.#codecs.get(method)!;
    const answer = server.perform(method, () => readArgs(this.#reader.restart()));
    const to = this.#writer.restart();
    if ("value" in answer && writeValue(to, answer.value) && !to.isFull) {
      this.#announce(ANSWER, this.#codecOf(method));
    } else {
      server.send(answer);
      this.#announce(ANSWER, MESSAGE);
    }
    server.afterAnswer();
  }

  #codecOf(method: string): number {
    return this.#methods.indexOf(method) + 1;
  }

  /** @returns undefined for a message */
  #methodOf(word: number): string | undefined {
    return this.#methods[(word & CODEC_MASK) - 1];
  }

  /** The next value of a word that was `seen`. The event loop goes on meanwhile. */
  async #untilChanged(word: Word, seen: number): Promise<number> {
    while (true) {
      const now = Atomics.load(this.#words, word);
      if (now !== seen) return now;
      // Notified late, one may find that what this was about has been seen before.
      await Atomics.waitAsync(this.#words, word, seen).value;
    }
  }

  /** Waits for the same, while this thread does nothing else. @returns false when it has waited in vain */
  #blocksUntilChanged(word: Word, seen: number): boolean {
    while (Atomics.load(this.#words, word) === seen) {
      if (Atomics.wait(this.#words, word, seen, EVENT_LOOP_MILLISECONDS) === "timed-out") return false;
    }
    return true;
  }

  #announce(word: Word, codec: number): void {
    const count = (Atomics.load(this.#words, word) >> CODEC_BITS) + 1;
    Atomics.store(this.#words, word, (count << CODEC_BITS) | codec);
    Atomics.notify(this.#words, word);
  }
}

/** Resolves when everything else in this thread has had its turn. */
async function eventLoopTurn(): Promise<void> {
  // Not loaded before it is needed: a worker that has done nothing yet starts sooner, and is smaller.
  const { setImmediate } = await import("node:timers");
  await new Promise<void>((resolve) => setImmediate(resolve));
}

/** What a worker does with a call. */
export interface CallServer {
  /** Calls the method. Never throws, even if `args` does. */
  perform(method: string, args: () => readonly unknown[]): Answer;
  /** Sends an answer as a message. */
  send(answer: Answer): void;
  afterAnswer(): void;
}
