import { Refusal } from "../model/errors.ts";
import type { ReaderCalls } from "./messages.ts";
import { WorkerPort } from "./worker_port.ts";

/** Reads that may wait for a reader; one more is refused. */
const WAITING_MAX = 1000;

type ReaderPort = WorkerPort<ReaderCalls>;

/** Reader workers, started when they are needed. Each runs one short read at a time. */
export class ReaderPool {
  readonly #path: string;
  readonly #readersMax: number;
  #idle: ReaderPort[] = [];
  readonly #waiting: PromiseWithResolvers<ReaderPort>[] = [];
  /** Those that are open or being opened, idle or not. */
  readonly #readers = new Set<ReaderPort>();

  constructor(path: string, readersMax: number) {
    this.#path = path;
    this.#readersMax = readersMax;
  }

  /** Readers that run a read right now. */
  get inUse(): number {
    return this.#readers.size - this.#idle.length;
  }

  /** @throws Refusal `Unavailable` when too many reads wait already */
  async call<K extends keyof ReaderCalls>(
    name: K,
    ...args: Parameters<ReaderCalls[K]>
  ): Promise<ReturnType<ReaderCalls[K]>> {
    // Whether the database can be reached must not depend on how many others read it.
    const reader = await this.#take({ first: name === "ping" });
    try {
      return await reader.call(name, ...args);
    } finally {
      this.#giveBack(reader);
    }
  }

  /** Closes the connections of all readers; a read that is still under way is cut off. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#idle.map((reader) => reader.call("close")));
    for (const reader of this.#readers) reader.terminate();
    this.#readers.clear();
    this.#idle = [];
  }

  #take({ first }: { first: boolean }): ReaderPort | Promise<ReaderPort> {
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    if (this.#readers.size < this.#readersMax) return this.#start();
    if (this.#waiting.length >= WAITING_MAX && !first) {
      throw new Refusal("Unavailable", "too many reads wait for a reader");
    }
    const turn = Promise.withResolvers<ReaderPort>();
    if (first) this.#waiting.unshift(turn);
    else this.#waiting.push(turn);
    return turn.promise;
  }

  #giveBack(reader: ReaderPort): void {
    const next = this.#waiting.shift();
    if (this.#readers.has(reader)) {
      if (next === undefined) this.#idle.push(reader);
      else next.resolve(reader);
    } else if (next !== undefined) {
      // The reader died: the one that waits for it gets a new one.
      this.#start().then(next.resolve, next.reject);
    }
  }

  async #start(): Promise<ReaderPort> {
    const reader: ReaderPort = new WorkerPort(new URL("./reader_worker.ts", import.meta.url), "reader");
    this.#readers.add(reader);
    reader.onBroken = () => this.#forget(reader);
    try {
      await reader.call("open", this.#path);
      return reader;
    } catch (error) {
      reader.terminate();
      this.#forget(reader);
      this.#giveBack(reader);
      throw error;
    }
  }

  #forget(reader: ReaderPort): void {
    this.#readers.delete(reader);
    this.#idle = this.#idle.filter((other) => other !== reader);
  }
}
