import type { EventRow } from "../tables/events.ts";

/*
 * The costs of the parts of a search, measured on two cores with a million events: docs/decisions/tag_index.md.
 */

/** Find one term in the index. */
export const LOOKUP_MICROSECONDS = 25;
/** Step over one entry of a list backwards, to where a range begins. */
export const STEPPED_ENTRY_MICROSECONDS = 0.0012;
/** Fetch the sequence of one event from a list of the index. */
export const SEQUENCE_MICROSECONDS = 0.15;
/** Walk one entry of a list while FTS5 intersects lists. With many lists it takes longer. */
export const WALKED_ENTRY_MICROSECONDS = 0.02;
/** Parse the tags of an event. */
export const PARSE_MICROSECONDS = 0.9;
/** Read an event at a place of its own, in a list of sequences. */
export const LISTED_ROW_MICROSECONDS = 5;
const ROW_MICROSECONDS = 0.6;
/** The extra cost of a large event, for one unit of its text. */
const UNIT_MICROSECONDS = 0.001;
const LINE_MICROSECONDS = 0.3;
const LINE_BYTE_MICROSECONDS = 0.0005;

/**
 * Read events, and compare their types.
 * @param count how many, when they have not been read yet
 */
export function rowsMicroseconds(rows: readonly EventRow[], count: number = rows.length): number {
  let units = 0;
  for (const { body } of rows) units += body.length;
  return count * ROW_MICROSECONDS + units * UNIT_MICROSECONDS;
}

/** Read events as lines that SQLite joins. */
export function linesMicroseconds(
  { count, bytes }: { readonly count: number; readonly bytes: number },
): number {
  return count * LINE_MICROSECONDS + bytes * LINE_BYTE_MICROSECONDS;
}
