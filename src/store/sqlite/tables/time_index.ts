import type { TimeRange } from "../../../model/time_range.ts";
import type { Database } from "../connection/database.ts";
import { type Direction, endOf, type Range, restOf } from "../../core/ranges/direction.ts";
import { blocksOf, partOf, partParams, partSql } from "../../core/ranges/time_blocks.ts";

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

const PART = partSql("?");

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
    const row = db.get(PART[direction], ...partParams(rest, time).map(BigInt));
    if (row === undefined) return;
    const part = partOf(rest, row[0] as number, (row[1] as number | null) ?? undefined, direction);
    yield part;
    rest = restOf(range, endOf(part, direction), direction);
  }
}
