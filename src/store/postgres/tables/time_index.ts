import type { TimeRange } from "../../../model/time_range.ts";
import { type Direction, endOf, type Range, restOf } from "../../core/ranges/direction.ts";
import { BLOCK_EVENTS, blockOf, partOf, partParams, partSql } from "../../core/ranges/time_blocks.ts";
import { booleanIn, numberIn } from "../protocol/cells.ts";
import type { Session, Statement } from "../protocol/session.ts";

/*
 * A block of the time index is added when it is complete, so no row ever changes. The last block is incomplete, so every
 * search reads it, as if it overlapped with every time range.
 */

/** Adds the blocks that have become complete between the heads `before` and `head`. */
export function addTimeBlocks(before: number, head: number): Statement[] {
  const [first, end] = [blockOf(before + 1), blockOf(head + 1)];
  if (first === end) return [];
  const sql = `INSERT INTO time_block (block, time_min, time_max)
    SELECT sequence / ${BLOCK_EVENTS}, min(time), max(time) FROM event WHERE sequence >= $1 AND sequence < $2 GROUP BY 1`;
  return [{ sql, params: [String(first * BLOCK_EVENTS), String(end * BLOCK_EVENTS)] }];
}

const PART = partSql("$");

/**
 * Yields the parts of a sequence range that may contain events of a time range, in the order of a search. They may
 * also contain other events, so the caller must check each event.
 */
export async function* rangesInTime(
  session: Pick<Session, "run">,
  range: Range,
  time: TimeRange,
  direction: Direction,
): AsyncGenerator<Range> {
  const tail = await unlistedTail(session, range);
  const listed = { after: range.after, upTo: tail.after };
  if (direction === "backwards" && tail.after < tail.upTo) yield tail;
  for (let rest = listed; rest.after < rest.upTo;) {
    const params = partParams(rest, time).map(String);
    const [[row] = []] = await session.run([{ sql: PART[direction], params }]);
    if (row === undefined) break;
    const end = row[1] === null ? undefined : numberIn(row[1]);
    const part = partOf(rest, numberIn(row[0]), end, direction);
    yield part;
    rest = restOf(listed, endOf(part, direction), direction);
  }
  if (direction === "forwards" && tail.after < tail.upTo) yield tail;
}

/**
 * Returns the part of a range that lies in the last block of the store while this is incomplete. Otherwise it is
 * empty.
 */
async function unlistedTail(session: Pick<Session, "run">, { after, upTo }: Range): Promise<Range> {
  const block = blockOf(upTo);
  const sql = "SELECT EXISTS (SELECT FROM time_block WHERE block = $1)";
  const [[row] = []] = await session.run([{ sql, params: [String(block)] }]);
  return { after: booleanIn(row![0]) ? upTo : Math.max(after, block * BLOCK_EVENTS - 1), upTo };
}
