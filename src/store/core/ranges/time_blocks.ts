import type { TimeRange } from "../../../model/time_range.ts";
import { type Direction, endOf, type Range, restOf, seenOf, startOf } from "./direction.ts";

/*
 * The time index stores the lowest and the highest time of each block of events. Times nearly follow the sequence, so
 * few blocks contain the times that a read asks for. Since the clock may go back, any block may. An index entry for
 * each event would slow down every write and would give the events in the wrong order.
 */

/** The number of events in one block of the time index. */
export const BLOCK_EVENTS = 1024;

export function blockOf(sequence: number): number {
  return Math.floor(sequence / BLOCK_EVENTS);
}

/** The times of the events in one block. */
interface TimeBlock {
  readonly block: number;
  readonly timeMin: number;
  readonly timeMax: number;
}

/** Returns the blocks that contain the events after `head`, with the times of these events alone. */
export function blocksOf(head: number, events: readonly { readonly timeMicros: number }[]): TimeBlock[] {
  const blocks: TimeBlock[] = [];
  for (let start = 0; start < events.length;) {
    const block = blockOf(head + 1 + start);
    const end = Math.min(events.length, (block + 1) * BLOCK_EVENTS - head - 1);
    let [timeMin, timeMax] = [Infinity, -Infinity];
    for (let i = start; i < end; i++) {
      const { timeMicros } = events[i]!;
      timeMin = Math.min(timeMin, timeMicros);
      timeMax = Math.max(timeMax, timeMicros);
    }
    blocks.push({ block, timeMin, timeMax });
    start = end;
  }
  return blocks;
}

/**
 * SQL for the first block of a range that overlaps a time range, and for the block with which that part of the range
 * ends. Its parameters are those of `partParams`.
 * @param mark the character before the number of a parameter
 */
export function partSql(mark: "?" | "$"): Record<Direction, string> {
  const [first, last, from, before] = [1, 2, 3, 4].map((number) => mark + number);
  const overlaps = `time_max >= ${from} AND time_min < ${before}`;
  const sql = (order: string, after: string): string =>
    `SELECT part.block, (SELECT other.block FROM time_block other WHERE ${after} AND NOT (${overlaps})
        ORDER BY other.block ${order} LIMIT 1)
      FROM time_block part WHERE block BETWEEN ${first} AND ${last} AND ${overlaps} ORDER BY part.block ${order} LIMIT 1`;
  return {
    forwards: sql("ASC", `other.block > part.block AND other.block <= ${last}`),
    backwards: sql("DESC", `other.block >= ${first} AND other.block < part.block`),
  };
}

export function partParams({ after, upTo }: Range, { fromMicros, beforeMicros }: TimeRange): number[] {
  return [blockOf(after + 1), blockOf(upTo), fromMicros, beforeMicros];
}

/** Returns the part of a range between two blocks, in the order of a search. Without `end` it reaches to the end. */
export function partOf(range: Range, begin: number, end: number | undefined, direction: Direction): Range {
  const from = startOfBlock(begin, range, direction);
  const to = end === undefined ? endOf(range, direction) : startOfBlock(end, range, direction);
  return seenOf(restOf(range, from, direction), to, direction);
}

/** The position in a range at which a search comes to a block. */
function startOfBlock(block: number, range: Range, direction: Direction): number {
  const events = { after: block * BLOCK_EVENTS - 1, upTo: (block + 1) * BLOCK_EVENTS - 1 };
  return Math.min(range.upTo, Math.max(range.after, startOf(events, direction)));
}
