import { setImmediate } from "node:timers";
import type { Answer } from "./answer.ts";
import type { CallCodecs } from "./call_codec.ts";
import { SharedReader, SharedWriter } from "./shared_bytes.ts";

/*
 * Calls through memory that the main thread shares with a worker, one at a time: first the arguments are in it, then
 * the value takes their place. Each side counts up its own counter when it has written, and the other waits for that.
 *
 * A message costs both threads an event, a task and copies of all objects, and the worker has to return to its event
 * loop for it. Here a worker that has answered simply waits for the next call, which makes a call and its answer take
 * half the time. What has no codec or is too long is sent as a message; the counters then say that there is one.
 */

/** Positions in the memory, in units of 4 bytes. */
const CALLS = 0;
const ANSWERS = 1;
/** Which codec the memory was written with, or MESSAGE. */
const CODEC = 2;
const COUNTERS = 3;
const COUNTERS_BYTES = 16;

type Counter = typeof CALLS | typeof ANSWERS;

const MESSAGE = -1;

/** A worker sees to its timers and messages at least so often. */
const EVENT_LOOP_MILLISECONDS = 20;

export class SharedCalls {
  readonly memory: SharedArrayBuffer;
  readonly #codecs: CallCodecs;
  readonly #methods: readonly string[];
  readonly #counters: Int32Array;

  /** @param codecs the same ones, in the same order, on both sides */
  constructor(memory: SharedArrayBuffer, codecs: CallCodecs) {
    this.memory = memory;
    this.#codecs = codecs;
    this.#methods = [...codecs.keys()];
    this.#counters = new Int32Array(memory, 0, COUNTERS);
  }

  /**
   * Calls a method.
   * @returns whether the answer is in the memory, or else comes as a message; undefined, with nothing called, when the
   *   call must be made by a message
   */
  call(method: string, args: readonly unknown[]): Promise<boolean> | undefined {
    const codec = this.#codecs.get(method);
    if (codec === undefined) return undefined;
    const to = new SharedWriter(this.memory, COUNTERS_BYTES);
    if (!codec.writeArgs(to, ...args) || to.isFull) return undefined;
    const answers = Atomics.load(this.#counters, ANSWERS);
    this.#countUp(CALLS, this.#methods.indexOf(method));
    return this.#untilCounted(ANSWERS, answers).then(() => Atomics.load(this.#counters, CODEC) !== MESSAGE);
  }

  /** The value that the worker has left in the memory. */
  value(method: string): unknown {
    return this.#codecs.get(method)!.readValue(new SharedReader(this.memory, COUNTERS_BYTES));
  }

  /** Sends the worker, which may be waiting for a call, to its messages. */
  callByMessage(): void {
    this.#countUp(CALLS, MESSAGE);
  }

  /** Ends the wait for an answer of a worker that has died, as if it came by a message. */
  giveUp(): void {
    this.#countUp(ANSWERS, MESSAGE);
  }

  /** Answers the calls that come, in the worker, for as long as it lives. */
  async serve(server: CallServer): Promise<never> {
    for (let seen = 0;;) {
      await this.#untilCounted(CALLS, seen);
      const until = performance.now() + EVENT_LOOP_MILLISECONDS;
      do {
        seen = Atomics.load(this.#counters, CALLS);
        const method = this.#methods[Atomics.load(this.#counters, CODEC)];
        if (method === undefined) break;
        this.#answer(method, server);
      } while (performance.now() < until && this.#blockUntilCounted(CALLS, seen));
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  #answer(method: string, server: CallServer): void {
    const { readArgs, writeValue } = this.#codecs.get(method)!;
    const answer = server.perform(method, readArgs(new SharedReader(this.memory, COUNTERS_BYTES)));
    const to = new SharedWriter(this.memory, COUNTERS_BYTES);
    if ("value" in answer && writeValue(to, answer.value) && !to.isFull) {
      this.#countUp(ANSWERS, this.#methods.indexOf(method));
    } else {
      server.send(answer);
      this.#countUp(ANSWERS, MESSAGE);
    }
    server.afterAnswer();
  }

  /** Resolves when a counter has been counted up. The event loop goes on meanwhile. */
  async #untilCounted(counter: Counter, seen: number): Promise<void> {
    // Who counts up notifies a moment later. By then the other side may have seen it, and be waiting for the next time.
    while (Atomics.load(this.#counters, counter) === seen) {
      await Atomics.waitAsync(this.#counters, counter, seen).value;
    }
  }

  /** The same, while this thread does nothing else. @returns false when it has waited in vain */
  #blockUntilCounted(counter: Counter, seen: number): boolean {
    while (Atomics.load(this.#counters, counter) === seen) {
      if (Atomics.wait(this.#counters, counter, seen, EVENT_LOOP_MILLISECONDS) === "timed-out") return false;
    }
    return true;
  }

  #countUp(counter: Counter, codec: number): void {
    Atomics.store(this.#counters, CODEC, codec);
    Atomics.add(this.#counters, counter, 1);
    Atomics.notify(this.#counters, counter);
  }
}

/** What a worker does with a call. */
export interface CallServer {
  /** Calls the method. Never throws. */
  perform(method: string, args: readonly unknown[]): Answer;
  /** Sends an answer as a message. */
  send(answer: Answer): void;
  afterAnswer(): void;
}
