import type { Database } from "../connection/database.ts";
import { type EventRow, eventsAt, scanEvents } from "../tables/events.ts";
import { type Direction, positionBehind, restOf } from "../../core/ranges/direction.ts";
import type { Range } from "../../core/ranges/range.ts";

/**
 * The number of events that are read as rows at a time, before they become bytes. Few at first, then enough to fill
 * about a quarter of a chunk, so that large events are neither held nor read needlessly.
 */
const BATCH_EVENTS_FIRST = 4;
const BATCH_EVENTS_MAX = 256;
const BATCH_UNITS = 64 * 1024;

/** The number of events of a list that are read first: most lists are short. */
const LISTED_EVENTS_FIRST = 12;

function nextBatchEvents(rows: readonly EventRow[]): number {
  let units = 0;
  for (const row of rows) units += row.body.length;
  return Math.max(1, Math.min(BATCH_EVENTS_MAX, Math.floor(BATCH_UNITS * rows.length / Math.max(units, 1))));
}

/** Returns every event of a range, in batches and in the order of the search, at most `eventsMax`. */
export function* batchesOf(
  db: Database,
  range: Range,
  direction: Direction = "forwards",
  eventsMax: number = Infinity,
): Generator<EventRow[]> {
  let rest = range;
  let batch = BATCH_EVENTS_FIRST;
  for (let left = eventsMax; left > 0 && rest.after < rest.upTo;) {
    const wanted = Math.min(left, batch);
    const rows = scanEvents(db, rest, wanted, direction);
    if (rows.length > 0) yield rows;
    if (rows.length < wanted) return;
    left -= rows.length;
    rest = restOf(range, positionBehind(rows.at(-1)!.sequence, direction), direction);
    batch = nextBatchEvents(rows);
  }
}

/** Returns the events of these sequences, in batches and in the order given. */
export function* batchesAt(db: Database, sequences: readonly number[]): Generator<EventRow[]> {
  let batch = LISTED_EVENTS_FIRST;
  for (let i = 0; i < sequences.length;) {
    const wanted = sequences.slice(i, i + batch);
    const rows = eventsAt(db, wanted);
    if (rows.length < wanted.length) throw new Error("the tag index names an event that does not exist");
    yield rows;
    i += rows.length;
    batch = nextBatchEvents(rows);
  }
}
