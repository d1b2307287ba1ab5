import { type BatchLimits, BatchSize } from "../../core/chunks/batch_size.ts";
import type { Database } from "../connection/database.ts";
import { type EventRow, eventsAt, scanEvents } from "../tables/events.ts";
import { type Direction, positionBehind, type Range, restOf } from "../../core/ranges/direction.ts";

/**
 * Events are read as rows before they become bytes. Few at first, then enough to fill about a third of a chunk, so
 * that large events are neither held nor read needlessly.
 */
const BATCH_BYTES = 64 * 1024;
const BATCHES: BatchLimits = {
  eventsFirst: 4,
  eventsMin: 1,
  eventsMax: 256,
  bytesMin: BATCH_BYTES,
};

/** Most lists are short. */
const LISTED_BATCHES: BatchLimits = { ...BATCHES, eventsFirst: 12 };

/** Returns every event of a range, in batches and in the order of the search, at most `eventsMax`. */
export function* batchesOf(
  db: Database,
  range: Range,
  direction: Direction = "forwards",
  eventsMax: number = Infinity,
): Generator<EventRow[]> {
  let rest = range;
  const size = new BatchSize(BATCHES);
  for (let left = eventsMax; left > 0 && rest.after < rest.upTo;) {
    const wanted = Math.min(left, size.next);
    const rows = scanEvents(db, rest, wanted, direction);
    if (rows.length > 0) yield rows;
    if (rows.length < wanted) return;
    left -= rows.length;
    rest = restOf(range, positionBehind(rows.at(-1)!.sequence, direction), direction);
    size.count(rows);
  }
}

/**
 * Returns the events of these sequences, in batches and in the order given.
 * @param eventsMax how many events the search wants: a larger batch might read the rest in vain
 */
export function* batchesAt(
  db: Database,
  sequences: readonly number[],
  eventsMax: number,
): Generator<EventRow[]> {
  const size = new BatchSize(LISTED_BATCHES);
  const rowsMax = Math.max(LISTED_BATCHES.eventsFirst, eventsMax);
  for (let i = 0; i < sequences.length;) {
    const wanted = sequences.slice(i, i + Math.min(size.next, rowsMax));
    const rows = eventsAt(db, wanted);
    if (rows.length < wanted.length) throw new Error("the tag index names an event that does not exist");
    yield rows;
    i += rows.length;
    size.count(rows);
  }
}
