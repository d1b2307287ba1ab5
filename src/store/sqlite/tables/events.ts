import type { PreparedEvent } from "../../prepare_event.ts";
import type { Database, Row } from "../connection/database.ts";
import type { Range } from "./range.ts";
import { deleteTimes, recordTimes } from "./time_index.ts";

/** Appends events with the sequences that follow `head`, and adds them to both indexes. */
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

/** One stored event. */
export interface EventRow {
  readonly sequence: number;
  /** Microseconds since 1970. */
  readonly timeMicros: number;
  /** The rest of the event's JSON line after sequence and time. */
  readonly body: string;
}

/** Events with `after < sequence <= upTo` in order, at most `rowsMax`. */
export function scanEvents(db: Database, { after, upTo }: Range, rowsMax: number): EventRow[] {
  return db.all(
    "SELECT sequence, time, body FROM event WHERE sequence > ? AND sequence <= ? ORDER BY sequence LIMIT ?",
    BigInt(after),
    BigInt(upTo),
    BigInt(rowsMax),
  ).map(eventRow);
}

/** The events with the given sequences, in the order in which these are given. */
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
