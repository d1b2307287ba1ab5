import type { NewEvent } from "../src/model/event.ts";
import { throwIfFailed } from "../src/store/api/outcome.ts";
import { prepareEvent } from "../src/store/core/prepare_event.ts";
import { initStore } from "../src/store/sqlite/data_directory/create_database.ts";
import { Writer } from "../src/store/sqlite/writing/writer.ts";
import type { StoreWrite } from "../src/store/api/write.ts";
import { SampleEvents } from "./sample_events.ts";

/** Large transactions are fine, because no client waits for them. */
export const EVENTS_PER_TURN = 5000;

/** An unconditional write, prepared as the server's main thread does it. */
export function storeWrite(events: readonly NewEvent[], timeMicros: number): StoreWrite {
  return {
    conditions: [],
    projections: { create: [], replace: [], delete: [] },
    events: events.map((event) => prepareEvent(event, timeMicros)),
  };
}

/** A writer in this thread. Its messages are dropped. */
export function openWriter(path: string): Writer {
  return Writer.open(path, [], [], () => {});
}

/** Writes in one transaction, and checkpoints when it is due. @throws when nothing was written */
export function writeNow(writer: Writer, write: StoreWrite): void {
  const { kind } = throwIfFailed(writer.group([write])[0]!);
  if (kind !== "written") throw new Error(`a write of the benchmark failed: ${kind}`);
  writer.afterAnswer();
}

/** Creates a store with this many sample events. */
export function fillStore(dataDir: string, storeEvents: number): void {
  for (const _ of fillInSteps(dataDir, storeEvents));
}

/** The same, transaction by transaction. */
export function* fillInSteps(dataDir: string, storeEvents: number): Generator<void> {
  const writer = openWriter(initStore(dataDir).path);
  const sample = new SampleEvents(storeEvents, 1);
  for (let left = storeEvents; left > 0; left -= EVENTS_PER_TURN) {
    const events = sample.events(Math.min(left, EVENTS_PER_TURN));
    writeNow(writer, storeWrite(events, Date.now() * 1000));
    yield;
  }
  writer.close();
}
