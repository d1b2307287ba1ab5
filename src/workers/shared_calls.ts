import type { CallCodecs } from "./call_codec.ts";
import {
  ANSWERS,
  CALLS,
  following,
  MESSAGES_BITS,
  MESSAGES_MASK,
  MICROSECONDS,
  type SharedSlot,
  SharedSlots,
  WAITS,
} from "./shared_slots.ts";

/*
 * The main thread's side of calls through memory that it shares with a worker.
 *
 * A message costs both threads an event, a task and copies of all objects, and the worker must return to its event
 * loop. With shared memory, a worker that has answered simply continues with the next call, or waits for it. So a
 * call and its answer take half the time. A call without a codec, or too long for the memory, is sent as a message.
 */

/** The call was cancelled before the worker began it. */
export class CallCancelled extends Error {
  override readonly name = "CallCancelled";
}

/** The value, or undefined when the answer comes as a message. */
type Answered = { readonly value: unknown } | undefined;

/** A call in progress. */
interface Call extends PromiseWithResolvers<Answered> {
  readonly place: SharedSlot;
  isCancelled: boolean;
}

export class SharedCalls {
  readonly #codecs: CallCodecs;
  readonly #places: SharedSlots;
  readonly #words: Int32Array;
  /**
   * Calls by their numbers, modulo the length. A `Map` with a long life would leave garbage that only a full collection
   * removes. Each outgrown table references the next one, and with it all its former entries.
   */
  readonly #calls: (Call | undefined)[];
  /** The number of the last call, and of the last call whose answer was taken. */
  #last = 0;
  #answered = 0;
  #isWaiting = false;
  /** The slot that was used last is the last: it is still in the processor's cache. */
  readonly #free: SharedSlot[];

  /** @param callsMax how many calls may be in progress at once */
  constructor(memory: SharedArrayBuffer, codecs: CallCodecs, callsMax = 1) {
    this.#codecs = codecs;
    this.#places = new SharedSlots(memory, codecs, callsMax);
    this.#words = this.#places.words;
    this.#free = this.#places.all.toReversed();
    this.#calls = this.#places.all.map(() => undefined);
  }

  get memory(): SharedArrayBuffer {
    return this.#places.memory;
  }

  /**
   * Calls a method.
   * @param id the ID of the answer if it comes as a message
   * @returns undefined, without calling, when the call must be made by a message
   * @throws CallCancelled
   */
  call(id: number, method: string, args: readonly unknown[]): Promise<Answered> | undefined {
    const codec = this.#codecs.get(method);
    if (codec === undefined) return undefined;
    if (this.#free.length === 0) this.#takeAnswers(Atomics.load(this.#words, ANSWERS));
    const place = this.#free.at(-1);
    if (place === undefined) return undefined;
    const to = place.writer.restart();
    if (!codec.writeArgs(to, ...args) || to.isFull) return undefined;
    this.#free.pop();
    place.ready(id, method);
    const number = following(this.#last);
    this.#places.assign(number, place);
    const call = { place, isCancelled: false, ...Promise.withResolvers<Answered>() };
    this.#calls[number % this.#calls.length] = call;
    this.#last = number;
    this.#announce(1 << MESSAGES_BITS);
    this.#waitForAnswers();
    return call.promise;
  }

  /** The average time of a recent call in the worker, in microseconds. */
  get callMicroseconds(): number {
    return Atomics.load(this.#words, MICROSECONDS);
  }

  /** Cancels every call that the worker has not begun. The worker skips their slots. */
  cancel(): void {
    for (const call of this.#calls) {
      if (call === undefined || call.isCancelled || !call.place.cancel()) continue;
      call.isCancelled = true;
      call.reject(new CallCancelled());
    }
  }

  /** Wakes the worker, which may be waiting for a call, so that it reads its messages. */
  callByMessage(): void {
    const messages = Atomics.load(this.#words, CALLS) & MESSAGES_MASK;
    this.#announce(((messages + 1) & MESSAGES_MASK) - messages);
  }

  /** Ends the wait for the answers of a worker that has died, as if they came by messages. */
  giveUp(): void {
    for (const place of this.#places.all) place.becomeMessage();
    Atomics.store(this.#words, ANSWERS, this.#last);
    Atomics.notify(this.#words, ANSWERS);
  }

  /** One wait serves all calls. */
  async #waitForAnswers(): Promise<void> {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    while (true) {
      // After a late notification, there may be no more answers than before.
      const answers = Atomics.load(this.#words, ANSWERS);
      this.#takeAnswers(answers);
      if (this.#answered === this.#last) break;
      await Atomics.waitAsync(this.#words, ANSWERS, answers).value;
    }
    this.#isWaiting = false;
  }

  /** @param answers the number of the last answer */
  #takeAnswers(answers: number): void {
    while (this.#answered !== answers) {
      this.#answered = following(this.#answered);
      const i = this.#answered % this.#calls.length;
      const { place, isCancelled, resolve, reject } = this.#calls[i]!;
      this.#calls[i] = undefined;
      this.#free.push(place);
      if (isCancelled) continue;
      try {
        resolve(place.isMessage ? undefined : { value: place.codec.readValue(place.reader.restart()) });
      } catch (error) {
        reject(error);
      }
    }
  }

  #announce(change: number): void {
    Atomics.add(this.#words, CALLS, change);
    if (Atomics.load(this.#words, WAITS) === 1) Atomics.notify(this.#words, CALLS);
  }
}
