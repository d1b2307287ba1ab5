import type { EventRow } from "../tables/events.ts";

/* What the pieces of a search cost, measured on two cores with a million events: docs/decisions/tag_index.md. */

/** To find one term in the index. */
export const LOOKUP_MICROSECONDS = 25;
/** What FTS5 takes backwards to step over one entry of a list, to where a range begins. */
export const STEPPED_ENTRY_MICROSECONDS = 0.0012;
/** To fetch the sequence of one event from a list of the index. */
export const SEQUENCE_MICROSECONDS = 0.15;
/** What FTS5 takes to walk one entry of a list when it intersects lists, more when there are many. */
export const WALKED_ENTRY_MICROSECONDS = 0.02;
/** To parse the tags of an event. */
export const PARSE_MICROSECONDS = 0.9;
const ROW_MICROSECONDS = 0.6;
/** What a large event costs more. */
const UNIT_MICROSECONDS = 0.001;
const LINE_MICROSECONDS = 0.3;
const LINE_BYTE_MICROSECONDS = 0.0005;

/** To read events, and to compare their types. @param count how many, when they are not there yet */
export function rowsMicroseconds(rows: readonly EventRow[], count: number = rows.length): number {
  let units = 0;
  for (const { body } of rows) units += body.length;
  return count * ROW_MICROSECONDS + units * UNIT_MICROSECONDS;
}

/** To read events as lines that SQLite puts together. */
export function linesMicroseconds(
  { count, bytes }: { readonly count: number; readonly bytes: number },
): number {
  return count * LINE_MICROSECONDS + bytes * LINE_BYTE_MICROSECONDS;
}
