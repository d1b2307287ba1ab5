import type { Database } from "./database.ts";
import { deleteTimes, recordTimes } from "./time_index.ts";

/** An event made ready for the store by the main thread, so that the writer only inserts. */
export interface PreparedEvent {
  /** Microseconds since 1970. */
  readonly timeMicros: number;
  /** The rest of the event's JSON line after sequence and time. */
  readonly body: string;
  /** The document of the tag index. */
  readonly terms: string;
}

/** Appends events with the sequences that follow `head`, and enters them into both indexes. */
export function appendEvents(db: Database, head: number, events: readonly PreparedEvent[]): void {
  for (const [i, { timeMicros, body, terms }] of events.entries()) {
    const key = BigInt(head + 1 + i);
    db.run("INSERT INTO event (sequence, time, body) VALUES (?, ?, ?)", key, BigInt(timeMicros), body);
    db.run("INSERT INTO event_term (rowid, terms) VALUES (?, ?)", key, terms);
  }
  recordTimes(db, head, events.map(({ timeMicros }) => timeMicros));
}

export function deleteEvents(db: Database): void {
  db.run("DELETE FROM event");
  db.run("INSERT INTO event_term (event_term) VALUES ('delete-all')");
  deleteTimes(db);
}

/** One stored event: sequence, time in microseconds, body. */
export type EventRow = readonly [sequence: number, timeMicros: number, body: string];

/** Events with `after < sequence <= head` in order, at most `rowsMax`. */
export function scanEvents(db: Database, after: number, head: number, rowsMax: number): EventRow[] {
  return db.all(
    "SELECT sequence, time, body FROM event WHERE sequence > ? AND sequence <= ? ORDER BY sequence LIMIT ?",
    BigInt(after),
    BigInt(head),
    BigInt(rowsMax),
  ) as unknown as EventRow[];
}

/** The events with the given sequences, in order. */
export function eventsAt(db: Database, sequences: readonly number[]): EventRow[] {
  return db.all(
    "SELECT sequence, time, body FROM event WHERE sequence IN (SELECT value FROM json_each(?)) ORDER BY sequence",
    JSON.stringify(sequences),
  ) as unknown as EventRow[];
}

/** Sequences in the tag index with `after < sequence <= head` that match an FTS5 expression, in order. */
export function indexedSequences(
  db: Database,
  expression: string,
  after: number,
  head: number,
  rowsMax: number,
): number[] {
  return db.all(
    "SELECT rowid FROM event_term WHERE event_term MATCH ? AND rowid > ? AND rowid <= ? ORDER BY rowid LIMIT ?",
    expression,
    BigInt(after),
    BigInt(head),
    BigInt(rowsMax),
  ).map((row) => row[0] as number);
}
