import type { TimeRange } from "../../../model/time_range.ts";
import { type Direction, endOf, restOf, seenOf } from "../../ranges/direction.ts";
import type { Range } from "../../ranges/range.ts";
import { BLOCK_EVENTS, blockOf, startOfBlock } from "../../ranges/time_blocks.ts";
import { booleanIn, numberIn } from "../protocol/cells.ts";
import type { Session, Statement } from "../protocol/session.ts";

/*
 * The time index keeps the lowest and the highest time of each block of events, as that of SQLite does and for the same
 * reasons. A block is added when it is complete, so that no row is ever changed. The last block, which is not complete,
 * is read as if it overlapped with every time.
 */

/** Adds the blocks that are complete with the events up to `head`, and were not with those up to `before`. */
export function addTimeBlocks(before: number, head: number): Statement[] {
  const [first, end] = [blockOf(before + 1), blockOf(head + 1)];
  if (first === end) return [];
  const sql = `INSERT INTO time_block (block, time_min, time_max)
    SELECT sequence / ${BLOCK_EVENTS}, min(time), max(time) FROM event WHERE sequence >= $1 AND sequence < $2 GROUP BY 1`;
  return [{ sql, params: [String(first * BLOCK_EVENTS), String(end * BLOCK_EVENTS)] }];
}

const IS_OVERLAPPING = "time_max >= $3 AND time_min < $4";

function firstBlockSql(condition: string): Record<Direction, string> {
  const first = (order: string): string =>
    `SELECT block FROM time_block WHERE block BETWEEN $1 AND $2 AND ${condition} ORDER BY block ${order} LIMIT 1`;
  return { forwards: first("ASC"), backwards: first("DESC") };
}

const FIRST_BLOCK = {
  overlapping: firstBlockSql(IS_OVERLAPPING),
  apart: firstBlockSql(`NOT (${IS_OVERLAPPING})`),
};

/**
 * The parts of a sequence range outside of which no event lies within a time range, in the order of a search. They may
 * contain others, so each event must still be checked.
 */
export async function* rangesInTime(
  session: Pick<Session, "run">,
  range: Range,
  time: TimeRange,
  direction: Direction,
): AsyncGenerator<Range> {
  const startOf = async (
    kind: keyof typeof FIRST_BLOCK,
    { after, upTo }: Range,
  ): Promise<number | undefined> => {
    const numbers = [blockOf(after + 1), blockOf(upTo), time.fromMicros, time.beforeMicros];
    const statement = { sql: FIRST_BLOCK[kind][direction], params: numbers.map(String) };
    const [[row] = []] = await session.run([statement]);
    return row && startOfBlock(numberIn(row[0]), { after, upTo }, direction);
  };
  const tail = await unlistedTail(session, range);
  const listed = { after: range.after, upTo: tail.after };
  if (direction === "backwards" && tail.after < tail.upTo) yield tail;
  for (let rest = listed; rest.after < rest.upTo;) {
    const inside = await startOf("overlapping", rest);
    if (inside === undefined) break;
    rest = restOf(listed, inside, direction);
    const outside = await startOf("apart", rest) ?? endOf(listed, direction);
    yield seenOf(rest, outside, direction);
    rest = restOf(listed, outside, direction);
  }
  if (direction === "forwards" && tail.after < tail.upTo) yield tail;
}

/** The part of a range in the last block of the store, if that is not complete; else nothing at its end. */
async function unlistedTail(session: Pick<Session, "run">, { after, upTo }: Range): Promise<Range> {
  const block = blockOf(upTo);
  const sql = "SELECT EXISTS (SELECT FROM time_block WHERE block = $1)";
  const [[row] = []] = await session.run([{ sql, params: [String(block)] }]);
  return { after: booleanIn(row![0]) ? upTo : Math.max(after, block * BLOCK_EVENTS - 1), upTo };
}
