import type { TimeRange } from "../../../model/time_range.ts";
import { type Direction, endOf, restOf, seenOf } from "../../ranges/direction.ts";
import type { Range } from "../../ranges/range.ts";
import { blockOf, startOfBlock } from "../../ranges/time_blocks.ts";
import { numberIn } from "../protocol/cells.ts";
import type { Session } from "../protocol/session.ts";

/*
 * The time index keeps the lowest and the highest time of each block of events, as that of SQLite does and for the same
 * reasons.
 */

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
  for (let rest = range; rest.after < rest.upTo;) {
    const inside = await startOf("overlapping", rest);
    if (inside === undefined) return;
    rest = restOf(range, inside, direction);
    const outside = await startOf("apart", rest) ?? endOf(range, direction);
    yield seenOf(rest, outside, direction);
    rest = restOf(range, outside, direction);
  }
}
