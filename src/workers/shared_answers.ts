import { type Answer, errorAnswer } from "./answer.ts";
import type { CallCodecs } from "./call_codec.ts";
import {
  ANSWERS,
  CALLS,
  callsIn,
  following,
  MESSAGES_MASK,
  MICROSECONDS,
  type SharedSlot,
  SharedSlots,
  WAITS,
} from "./shared_slots.ts";

/** A worker handles its timers and messages at least this often. */
const EVENT_LOOP_MILLISECONDS = 20;

/** No further call in a group begins after this time, so that the callers of the first ones get their answers. */
const TOGETHER_MILLISECONDS = 2;

/** The reported time of a call is an average of about this many runs. */
const RUNS_AVERAGED = 8;
const MICROSECONDS_MAX = 1e9;

/** Executes calls in a worker. */
export interface CallServer {
  /** Calls the method. Never throws, even if `args` does. */
  perform(method: string, args: () => readonly unknown[]): Answer;
  /** Runs calls that came together. If it throws, all of them fail with that error. */
  together(run: () => void): void;
  /** Sends an answer as a message. */
  send(id: number, answer: Answer): void;
  afterAnswer(): void;
}

/** Answers the calls that `SharedCalls` makes, in the worker. */
export class SharedAnswers {
  readonly #places: SharedSlots;
  readonly #words: Int32Array;
  readonly #server: CallServer;
  /** The number of the last call that has been answered. */
  #last = 0;
  #microseconds = 0;

  constructor(memory: SharedArrayBuffer, codecs: CallCodecs, server: CallServer, callsMax = 1) {
    this.#places = new SharedSlots(memory, codecs, callsMax);
    this.#words = this.#places.words;
    this.#server = server;
  }

  /** Answers for as long as the worker lives. */
  async serve(): Promise<never> {
    for (let seen = 0;;) {
      if (this.#last === callsIn(seen)) seen = await this.#untilChanged(seen);
      const until = performance.now() + EVENT_LOOP_MILLISECONDS;
      while (this.#last !== callsIn(seen)) {
        this.#answerTogether(callsIn(seen));
        if (performance.now() >= until) break;
        if (this.#last === callsIn(seen) && !this.#blocksUntilChanged(seen)) break;
        const before = seen;
        seen = Atomics.load(this.#words, CALLS);
        // A message came while this waited for the next call.
        if ((seen & MESSAGES_MASK) !== (before & MESSAGES_MASK)) break;
      }
      await eventLoopTurn();
    }
  }

  /** Answers calls up to this number, as many as the time allows. */
  #answerTogether(called: number): void {
    const start = performance.now();
    const until = start + TOGETHER_MILLISECONDS;
    const begun: SharedSlot[] = [];
    let answers: Answer[] = [];
    try {
      this.#server.together(() => {
        do {
          this.#last = following(this.#last);
          const place = this.#places.of(this.#last);
          if (!place.begin()) continue;
          begun.push(place);
          answers.push(
            this.#server.perform(place.method, () => place.codec.readArgs(place.reader.restart())),
          );
        } while (this.#last !== called && performance.now() < until);
      });
    } catch (error) {
      answers = begun.map(() => errorAnswer(error as Error));
    }
    for (const [i, place] of begun.entries()) this.#put(answers[i]!, place);
    if (begun.length > 0) this.#reportMicroseconds(1000 * (performance.now() - start) / begun.length);
    Atomics.store(this.#words, ANSWERS, this.#last);
    Atomics.notify(this.#words, ANSWERS);
    this.#server.afterAnswer();
  }

  #reportMicroseconds(each: number): void {
    const isFirst = this.#microseconds === 0;
    this.#microseconds = isFirst ? each : this.#microseconds + (each - this.#microseconds) / RUNS_AVERAGED;
    Atomics.store(this.#words, MICROSECONDS, Math.min(this.#microseconds, MICROSECONDS_MAX));
  }

  #put(answer: Answer, place: SharedSlot): void {
    const to = place.writer.restart();
    if ("value" in answer && place.codec.writeValue(to, answer.value) && !to.isFull) return;
    this.#server.send(place.id, answer);
    place.becomeMessage();
  }

  /** Returns the next value of the word for calls, which was `seen`. The event loop continues meanwhile. */
  async #untilChanged(seen: number): Promise<number> {
    while (true) {
      Atomics.store(this.#words, WAITS, 1);
      const now = Atomics.load(this.#words, CALLS);
      // A late notification may be about a change that was seen before.
      if (now === seen) await Atomics.waitAsync(this.#words, CALLS, seen).value;
      Atomics.store(this.#words, WAITS, 0);
      if (now !== seen) return now;
    }
  }

  /**
   * Waits for the same change, and blocks this thread meanwhile.
   * @returns false when nothing has changed in time
   */
  #blocksUntilChanged(seen: number): boolean {
    Atomics.store(this.#words, WAITS, 1);
    let hasChanged = true;
    while (hasChanged && Atomics.load(this.#words, CALLS) === seen) {
      hasChanged = Atomics.wait(this.#words, CALLS, seen, EVENT_LOOP_MILLISECONDS) !== "timed-out";
    }
    Atomics.store(this.#words, WAITS, 0);
    return hasChanged;
  }
}

/** Resolves when all other pending work of this thread has run. */
async function eventLoopTurn(): Promise<void> {
  // Loaded on demand: a worker that has done nothing yet starts faster, and is smaller.
  const { setImmediate } = await import("node:timers");
  await new Promise<void>((resolve) => setImmediate(resolve));
}
