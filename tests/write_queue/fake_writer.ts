import { delay } from "../../src/async/delay.ts";
import assert from "node:assert/strict";
import { done, type Outcome } from "../../src/store/api/outcome.ts";
import type { AttemptResult, StoreWrite, TakeMore } from "../../src/store/api/write.ts";
import type { WriteQueueOptions } from "../../src/write_queue/write_queue.ts";

type Outcomes = readonly Outcome<AttemptResult>[];

const NOTHING = { projections: { create: [], replace: [], delete: [] }, conditions: [] };

/** A write that is distinguished from others by its name. */
export function writeNamed(name: string): StoreWrite {
  return { ...NOTHING, events: [{ timeMicros: 0, body: name, terms: "" }] };
}

function nameOf(write: StoreWrite): string {
  return write.events[0]!.body;
}

/** Stands in for the writer: groups stay in it until the test ends them. */
export class FakeWriter {
  /** The names of the writes of every group that was begun. */
  readonly groups: string[][] = [];
  #running: PromiseWithResolvers<Outcomes> | undefined;
  #more: TakeMore = () => [];
  #head = 0;

  readonly group = (writes: readonly StoreWrite[], more: TakeMore = () => []): Promise<Outcomes> => {
    assert.equal(this.#running, undefined, "two groups at a time");
    this.groups.push(writes.map(nameOf));
    this.#more = more;
    this.#running = Promise.withResolvers<Outcomes>();
    return this.#running.promise;
  };

  /** Lets the waiting writes join the running group. */
  takeMore(): void {
    this.groups.at(-1)!.push(...this.#more().map(nameOf));
  }

  /** Ends the running group: every write is written, unless another outcome is given. */
  async end(
    outcomeOf: (name: string) => Outcome<AttemptResult> | undefined = () => undefined,
  ): Promise<void> {
    const running = this.#take();
    running.resolve(this.groups.at(-1)!.map((name) => outcomeOf(name) ?? done(this.#written())));
    await settled();
  }

  async fail(error: Error): Promise<void> {
    this.#take().reject(error);
    await settled();
  }

  #written(): AttemptResult {
    const versions = { create: [], replace: [] };
    return { kind: "written", storeId: "the store", firstSequence: ++this.#head, versions };
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  #take(): PromiseWithResolvers<Outcomes> {
    const running = this.#running;
    assert.ok(running !== undefined, "no group runs");
    this.#running = undefined;
    return running;
  }
}

/** A store with this writer, for writes without conditions. */
export function storeOf(writer: WriteQueueOptions["store"]["writer"]): WriteQueueOptions["store"] {
  return { writer, reads: { chunk: () => assert.fail("nothing is pre-checked") } };
}

/** Resolves when everything has run that can continue by itself. */
export function settled(): Promise<void> {
  return delay(0);
}
