import assert from "node:assert/strict";
import type { GroupEnd } from "../../src/store/messages.ts";
import type { StoreWrite } from "../../src/store/run_write.ts";
import type { Verdict } from "../../src/store/writer.ts";

const NOTHING = { projections: { create: [], replace: [], delete: [] }, conditions: [] };

/** A write that can be told apart from others by its name. */
export function writeNamed(name: string): StoreWrite {
  return { ...NOTHING, events: [{ timeMicros: 0, body: name, terms: "" }] };
}

function nameOf(write: StoreWrite): string {
  return write.events[0]!.body;
}

/** Stands for the writer: groups stay in it until the test ends them. */
export class FakeWriter {
  /** The names of the writes of every group that was begun. */
  readonly groups: string[][] = [];
  #running: PromiseWithResolvers<GroupEnd> | undefined;
  #head = 0;

  readonly runGroup = (writes: readonly StoreWrite[]): Promise<GroupEnd> => {
    assert.equal(this.#running, undefined, "two groups at a time");
    this.groups.push(writes.map(nameOf));
    this.#running = Promise.withResolvers<GroupEnd>();
    return this.#running.promise;
  };

  /** Ends the group that runs: every write is committed, unless another verdict is given. */
  async end(verdictOf: (name: string) => Verdict | undefined = () => undefined): Promise<void> {
    const running = this.#take();
    const verdicts = this.groups.at(-1)!.map((name): Verdict =>
      verdictOf(name) ??
        { kind: "committed", firstSequence: ++this.#head, versions: { create: [], replace: [] } }
    );
    running.resolve({ verdicts, storeId: "the store" });
    await settled();
  }

  async fail(error: Error): Promise<void> {
    this.#take().reject(error);
    await settled();
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  #take(): PromiseWithResolvers<GroupEnd> {
    const running = this.#running;
    assert.ok(running !== undefined, "no group runs");
    this.#running = undefined;
    return running;
  }
}

/** Resolves when everything that can go on by itself has done so. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
