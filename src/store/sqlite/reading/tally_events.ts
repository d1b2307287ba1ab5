import { METADATA } from "../../../wire/event.ts";
import type { Tally } from "../../api/tally.ts";
import { KindCounter, TALLY_EVENTS, TALLY_UNITS } from "../../core/catalog/kinds.ts";
import type { Database } from "../connection/database.ts";
import { readState } from "../tables/identity.ts";

/** The number of events that are read as rows at once. */
const BATCH_EVENTS = 250;

const STARTS = `SELECT sequence, time, substr(body, 1, instr(body, '${METADATA}') + ${METADATA.length - 1})
  FROM event WHERE sequence > ? AND sequence <= ? ORDER BY sequence`;

/** Counts the events after a sequence, inside the caller's transaction. */
export function tallyEvents(db: Database, afterSequence: number): Tally {
  const state = readState(db);
  const counter = new KindCounter();
  const upTo = Math.min(state.head, afterSequence + TALLY_EVENTS);
  let last = afterSequence;
  let lastTimeMicros: number | undefined;
  while (last < upTo && counter.units < TALLY_UNITS) {
    for (const row of db.all(STARTS, BigInt(last), BigInt(Math.min(upTo, last + BATCH_EVENTS)))) {
      const [sequence, timeMicros, start] = row as [number, number, string];
      counter.add(sequence, start);
      [last, lastTimeMicros] = [sequence, timeMicros];
    }
  }
  return { ...state, last, lastTimeMicros, kinds: counter.kinds };
}
