import { CHUNK_BYTES } from "../../api/chunk.ts";
import type { BatchLimits, BatchSize } from "../../core/chunks/batch_size.ts";
import { type Direction, positionBehind, type Range, restOf } from "../../core/ranges/direction.ts";
import type { Row } from "../protocol/cells.ts";
import type { Session } from "../protocol/session.ts";
import { type EventRow, eventRow, eventsAt, scanEvents } from "../tables/events.ts";

/** As many events as still fit into the chunk: each batch is a round trip. */
export const BATCHES: BatchLimits = {
  eventsFirst: 16,
  eventsMin: 16,
  eventsMax: 2000,
  bytesMax: CHUNK_BYTES,
  bytesMin: 0,
};

/**
 * Reads all events of a range in batches, in the order of the search, at most `eventsMax`.
 * @param asked the answer to the first batch, if the caller has it already
 */
export async function* batchesOf(
  session: Pick<Session, "run">,
  range: Range,
  direction: Direction,
  size: BatchSize,
  eventsMax: number,
  asked?: readonly Row[],
): AsyncGenerator<EventRow[]> {
  let answer = asked;
  let rest = range;
  for (let left = eventsMax; left > 0 && rest.after < rest.upTo;) {
    const wanted = Math.min(left, size.next);
    const [found] = answer === undefined
      ? await session.run([scanEvents(rest, wanted, direction)])
      : [answer];
    answer = undefined;
    const rows = found!.map(eventRow);
    size.count(rows);
    if (rows.length > 0) yield rows;
    if (rows.length < wanted) return;
    left -= rows.length;
    rest = restOf(range, positionBehind(rows.at(-1)!.sequence, direction), direction);
  }
}

/** Reads the events with these sequences in batches. The sequences are in the order of the search. */
export async function* batchesAt(
  session: Pick<Session, "run">,
  sequences: readonly number[],
  direction: Direction,
  size: BatchSize,
): AsyncGenerator<EventRow[]> {
  for (let i = 0; i < sequences.length;) {
    const wanted = sequences.slice(i, i + size.next);
    const [found] = await session.run([eventsAt(wanted, direction)]);
    const rows = found!.map(eventRow);
    if (rows.length < wanted.length) throw new Error("the tag index names an event that does not exist");
    size.count(rows);
    yield rows;
    i += rows.length;
  }
}
