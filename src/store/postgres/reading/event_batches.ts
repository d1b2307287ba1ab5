import { type Direction, positionBehind, restOf } from "../../core/ranges/direction.ts";
import type { Range } from "../../core/ranges/range.ts";
import type { Row } from "../protocol/cells.ts";
import type { Session, Statement } from "../protocol/session.ts";
import { type EventRow, eventRow, eventsAt, scanEvents } from "../tables/events.ts";

/** The size of the first batch, while the size of the events is unknown, and the minimum for later ones. */
const BATCH_EVENTS_MIN = 16;
const BATCH_EVENTS_MAX = 2000;

/** Chooses how many events a batch has: about as many as still fit into the chunk. */
export class BatchSize {
  #events = 0;
  #bytes: number;
  readonly #bytesMax: number;

  /** @param bytesEach average size of such events, if known */
  constructor(bytesMax: number, bytesEach: number | undefined) {
    this.#bytesMax = bytesMax;
    this.#bytes = 0;
    if (bytesEach !== undefined) {
      this.#events = 1;
      this.#bytes = bytesEach;
      this.#bytesMax += bytesEach;
    }
  }

  /** Average size of the events so far; undefined when there were none. */
  get bytesEach(): number | undefined {
    return this.#events === 0 ? undefined : this.#bytes / this.#events;
  }

  get next(): number {
    const { bytesEach } = this;
    if (bytesEach === undefined) return BATCH_EVENTS_MIN;
    const left = Math.max(0, this.#bytesMax - this.#bytes);
    const wanted = Math.ceil(left / Math.max(1, bytesEach));
    // Events that were read need not match, so the chunk may have space even if `left` is 0.
    return Math.max(BATCH_EVENTS_MIN, Math.min(BATCH_EVENTS_MAX, wanted));
  }

  count(rows: readonly EventRow[]): void {
    this.#events += rows.length;
    for (const { body } of rows) this.#bytes += body.length;
  }
}

/** Returns the first statement of a search for all events of a range. */
export function firstBatch(
  range: Range,
  direction: Direction,
  size: BatchSize,
  eventsMax: number,
): Statement {
  return scanEvents(range, Math.min(eventsMax, size.next), direction);
}

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
