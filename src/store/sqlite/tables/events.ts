import type { StoredEvent } from "../../core/chunks/chunk_search.ts";
import type { PreparedEvent } from "../../core/prepare_event.ts";
import type { Database, Row, SqlValue } from "../connection/database.ts";
import type { Direction, Range } from "../../core/ranges/direction.ts";
import { deleteTimes, recordTimes } from "./time_index.ts";

/** The number of rows in one statement, when there are so many: half of the cost of a row is the call. */
const ROWS_TOGETHER = 8;
const ONE_ROW = "INSERT INTO event (sequence, time, body) VALUES (?, ?, ?)";
const MANY_ROWS = ONE_ROW + ", (?, ?, ?)".repeat(ROWS_TOGETHER - 1);

/** With fewer events, one statement for each is faster for the tag index than one for all. */
const TERMS_TOGETHER_MIN = 16;

/** Appends events with the sequences that follow `head`, and adds them to both indexes. */
export function appendEvents(db: Database, head: number, events: readonly PreparedEvent[]): void {
  for (let i = 0; i < events.length;) {
    const rows = events.length - i >= ROWS_TOGETHER ? ROWS_TOGETHER : 1;
    insertRows(db, head + i, events.slice(i, i + rows), rows === 1 ? ONE_ROW : MANY_ROWS);
    i += rows;
  }
  insertTerms(db, head, events);
  recordTimes(db, head, events);
}

function insertRows(db: Database, head: number, events: readonly PreparedEvent[], sql: string): void {
  const values: SqlValue[] = [];
  for (const [i, { timeMicros, body }] of events.entries()) {
    values.push(BigInt(head + 1 + i), BigInt(timeMicros), body);
  }
  db.run(sql, ...values);
}

function insertTerms(db: Database, head: number, events: readonly PreparedEvent[]): void {
  if (events.length >= TERMS_TOGETHER_MIN) {
    // FTS5 ends a sorted run with each statement that inserts several rows, so there must be only one.
    const all = JSON.stringify(events.map(({ terms }) => terms));
    db.run(
      "INSERT INTO event_term (rowid, terms) SELECT ? + key, value FROM json_each(?)",
      BigInt(head + 1),
      all,
    );
    return;
  }
  for (const [i, { terms }] of events.entries()) {
    db.run("INSERT INTO event_term (rowid, terms) VALUES (?, ?)", BigInt(head + 1 + i), terms);
  }
}

export function deleteEvents(db: Database): void {
  db.run("DELETE FROM event");
  db.run("INSERT INTO event_term (event_term) VALUES ('delete-all')");
  deleteTimes(db);
}

export type EventRow = StoredEvent & { readonly body: string };

const SCAN = "SELECT sequence, time, body FROM event WHERE sequence > ? AND sequence <= ? ORDER BY sequence";
const SCANS = { forwards: `${SCAN} LIMIT ?`, backwards: `${SCAN} DESC LIMIT ?` };

/** Returns the first events of a range in the order of a search, at most `rowsMax`. */
export function scanEvents(
  db: Database,
  { after, upTo }: Range,
  rowsMax: number,
  direction: Direction = "forwards",
): EventRow[] {
  return db.all(SCANS[direction], BigInt(after), BigInt(upTo), BigInt(rowsMax)).map(eventRow);
}

/** Returns the events with the given sequences, in the order given. */
export function eventsAt(db: Database, sequences: readonly number[]): EventRow[] {
  return db.all(
    // The join is made in this order: nothing is sorted.
    "SELECT sequence, time, body FROM json_each(?) CROSS JOIN event ON sequence = value",
    JSON.stringify(sequences),
  ).map(eventRow);
}

function eventRow([sequence, timeMicros, body]: Row): EventRow {
  return { sequence, timeMicros, body } as EventRow;
}
