import type { TimeRange } from "../../../model/time_range.ts";
import type { Database } from "../connection/database.ts";
import { type Direction, endOf, restOf, seenOf } from "../../core/ranges/direction.ts";
import type { Range } from "../../core/ranges/range.ts";
import { blockOf, blocksOf, startOfBlock } from "../../core/ranges/time_blocks.ts";

/*
 * The time index stores the lowest and the highest time of each block of events. Times nearly follow the sequence, so
 * few blocks contain the times that a read asks for. Since the clock may go back, any block may. An index entry for
 * each event would slow down every write and would give the events in the wrong order.
 */

/** Records the times of the events that follow `head`, with one statement for each block that they fall into. */
export function recordTimes(
  db: Database,
  head: number,
  events: readonly { readonly timeMicros: number }[],
): void {
  for (const { block, timeMin, timeMax } of blocksOf(head, events)) {
    db.run(
      `INSERT INTO time_block (block, time_min, time_max) VALUES (?, ?, ?) ON CONFLICT (block) DO UPDATE
        SET time_min = min(time_min, excluded.time_min), time_max = max(time_max, excluded.time_max)`,
      BigInt(block),
      BigInt(timeMin),
      BigInt(timeMax),
    );
  }
}

export function deleteTimes(db: Database): void {
  db.run("DELETE FROM time_block");
}

/**
 * Returns the parts of a sequence range that may contain events of a time range, in the order of a search. They may
 * contain other events too, so each event must still be checked.
 */
export function* rangesInTime(
  db: Database,
  range: Range,
  time: TimeRange,
  direction: Direction = "forwards",
): Generator<Range> {
  for (let rest = range; rest.after < rest.upTo;) {
    const inside = startOfBlocks(db, "overlapping", rest, time, direction);
    if (inside === undefined) return;
    rest = restOf(range, inside, direction);
    const outside = startOfBlocks(db, "apart", rest, time, direction) ?? endOf(range, direction);
    yield seenOf(rest, outside, direction);
    rest = restOf(range, outside, direction);
  }
}

const IS_OVERLAPPING = "time_max >= ? AND time_min < ?";

function firstBlockSql(condition: string): Record<Direction, string> {
  const first = (order: string): string =>
    `SELECT block FROM time_block WHERE block BETWEEN ? AND ? AND ${condition} ORDER BY block ${order} LIMIT 1`;
  return { forwards: first("ASC"), backwards: first("DESC") };
}

const FIRST_BLOCK = {
  overlapping: firstBlockSql(IS_OVERLAPPING),
  apart: firstBlockSql(`NOT (${IS_OVERLAPPING})`),
};

/** Returns the position at which the first block of a kind begins in a range. */
function startOfBlocks(
  db: Database,
  kind: keyof typeof FIRST_BLOCK,
  range: Range,
  { fromMicros, beforeMicros }: TimeRange,
  direction: Direction,
): number | undefined {
  const row = db.get(
    FIRST_BLOCK[kind][direction],
    BigInt(blockOf(range.after + 1)),
    BigInt(blockOf(range.upTo)),
    BigInt(fromMicros),
    BigInt(beforeMicros),
  );
  if (row === undefined) return undefined;
  const block = row[0] as number;
  return startOfBlock(block, range, direction);
}
