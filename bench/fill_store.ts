import type { NewEvent } from "../src/model/event.ts";
import { openForWriting } from "../src/store/connection.ts";
import { initStore } from "../src/store/init_store.ts";
import type { StoreWrite } from "../src/store/run_write.ts";
import { eventTerms } from "../src/store/tag_index.ts";
import { Writer } from "../src/store/writer.ts";
import { eventBody } from "../src/wire/event.ts";
import { SampleEvents } from "./sample_events.ts";

/** Large transactions, because nobody waits for one. */
const EVENTS_PER_TURN = 5000;
/** The same pages in the WAL after which the server's writer checkpoints. */
const CHECKPOINT_PAGES = 4000;

/** An unconditional write, made ready as the server's main thread does it. */
export function storeWrite(events: readonly NewEvent[], timeMicros: number): StoreWrite {
  return {
    conditions: [],
    projections: { create: [], replace: [], delete: [] },
    events: events.map((event) => ({ timeMicros, body: eventBody(event), terms: eventTerms(event) })),
  };
}

/** Writes in one transaction, and checkpoints when it is due. @throws when nothing was written */
export function writeNow(writer: Writer, write: StoreWrite): void {
  const [verdict] = writer.group([write]);
  if (verdict?.kind !== "committed") throw new Error(`a write of the benchmark failed: ${verdict?.kind}`);
  if (writer.walPages.pending >= CHECKPOINT_PAGES) writer.checkpoint("PASSIVE", 0);
}

/** Creates a store with this many sample events. */
export function fillStore(dataDir: string, storeEvents: number): void {
  const db = openForWriting(initStore(dataDir).path);
  const writer = new Writer(db);
  const sample = new SampleEvents(storeEvents, 1);
  for (let left = storeEvents; left > 0; left -= EVENTS_PER_TURN) {
    const events = sample.events(Math.min(left, EVENTS_PER_TURN));
    writeNow(writer, storeWrite(events, Date.now() * 1000));
  }
  writer.checkpoint("TRUNCATE", 0);
  db.close();
}
