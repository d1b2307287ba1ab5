import type { TimeRange } from "../../../model/time_range.ts";
import type { Database } from "../connection/database.ts";
import type { Range } from "./range.ts";

/*
 * The time index keeps the lowest and the highest time of each block of events. Times nearly follow the
 * sequence, so few blocks contain the times that a read asks for; since the clock may go back, any block may.
 * An index entry for each event would cost every write and would give the events in the wrong order.
 */
const BLOCK_EVENTS = 1024;

export function blockOf(sequence: number): number {
  return Math.floor(sequence / BLOCK_EVENTS);
}

/** Records the times of the events that follow `head`, with one statement for each block that they fall into. */
export function recordTimes(
  db: Database,
  head: number,
  events: readonly { readonly timeMicros: number }[],
): void {
  for (let start = 0; start < events.length;) {
    const block = blockOf(head + 1 + start);
    const end = Math.min(events.length, (block + 1) * BLOCK_EVENTS - head - 1);
    let lowest = Infinity;
    let highest = -Infinity;
    for (let i = start; i < end; i++) {
      const { timeMicros } = events[i]!;
      lowest = Math.min(lowest, timeMicros);
      highest = Math.max(highest, timeMicros);
    }
    db.run(
      `INSERT INTO time_block (block, time_min, time_max) VALUES (?, ?, ?) ON CONFLICT (block) DO UPDATE
        SET time_min = min(time_min, excluded.time_min), time_max = max(time_max, excluded.time_max)`,
      BigInt(block),
      BigInt(lowest),
      BigInt(highest),
    );
    start = end;
  }
}

export function deleteTimes(db: Database): void {
  db.run("DELETE FROM time_block");
}

/**
 * The parts of a sequence range outside of which no event lies within a time range, in order. They may contain
 * others, so each event must still be checked.
 */
export function* rangesInTime(db: Database, range: Range, time: TimeRange): Generator<Range> {
  const last = blockOf(range.upTo);
  for (let block = blockOf(range.after + 1); block <= last;) {
    const first = firstBlock(db, OVERLAPPING, block, last, time);
    if (first === undefined) return;
    const next = firstBlock(db, APART, first, last, time) ?? last + 1;
    yield {
      after: Math.max(range.after, first * BLOCK_EVENTS - 1),
      upTo: Math.min(range.upTo, next * BLOCK_EVENTS - 1),
    };
    block = next;
  }
}

const OVERLAPPING = `SELECT block FROM time_block WHERE block BETWEEN ? AND ?
  AND time_max >= ? AND time_min < ? ORDER BY block LIMIT 1`;
const APART = `SELECT block FROM time_block WHERE block BETWEEN ? AND ?
  AND NOT (time_max >= ? AND time_min < ?) ORDER BY block LIMIT 1`;

function firstBlock(
  db: Database,
  sql: string,
  from: number,
  to: number,
  time: TimeRange,
): number | undefined {
  const { fromMicros, beforeMicros } = time;
  const row = db.get(sql, BigInt(from), BigInt(to), BigInt(fromMicros), BigInt(beforeMicros));
  return row?.[0] as number | undefined;
}
