import type { Database } from "../store/database.ts";
import { findEvents } from "../store/find_events.ts";
import type { Range } from "../store/range.ts";
import { eventLine } from "../wire/event.ts";
import { type ParsedLine, parseEventLine } from "../wire/event_line.ts";
import type { SignalGate } from "./signal_gate.ts";

/** Something in a database is not as it was written. `message` says what, and at which event. */
export class Damage extends Error {
  override readonly name = "Damage";
}

/** An event together with its line as it goes out, line feed included. */
export interface WalkedEvent extends ParsedLine {
  readonly line: string;
}

/**
 * The events of a range in batches, each one checked to be the next, and to be what this program writes.
 * @throws Damage at the first that is missing or damaged
 */
export async function* walkHistory(
  db: Database,
  range: Range,
  gate: SignalGate,
): AsyncGenerator<readonly WalkedEvent[]> {
  let last = range.after;
  for (const rows of findEvents(db, { query: "every", range }, Infinity)) {
    yield rows.map(([sequence, timeMicros, body]) => {
      if (sequence !== last + 1) throw new Damage(`event ${last + 1} is missing`);
      last = sequence;
      return walked(sequence, timeMicros, body);
    });
    await gate.pass();
  }
  if (last !== range.head) throw new Damage(`event ${last + 1} is missing`);
}

function walked(sequence: number, timeMicros: number, body: string): WalkedEvent {
  try {
    const line = eventLine(sequence, timeMicros, body);
    return { ...parseEventLine(line.slice(0, -1)), line };
  } catch (error) {
    throw new Damage(`event ${sequence} is damaged: ${(error as Error).message}`);
  }
}
