import type { Database } from "../../store/sqlite/connection/database.ts";
import { batchesOf } from "../../store/sqlite/reading/event_batches.ts";
import type { StoredEvent } from "../../store/core/chunks/chunk_search.ts";
import type { Range } from "../../store/core/ranges/direction.ts";
import { eventLine } from "../../wire/event.ts";
import { type ParsedLine, parseEventLine } from "../../wire/event_line.ts";
import type { SignalGate } from "./signal_gate.ts";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A part of a database is not as it was written. `message` names the part and the event. */
export class Damage extends Error {
  override readonly name = "Damage";
}

/** An event and the line that the server sends for it, line feed included. */
interface WalkedEvent extends ParsedLine {
  readonly line: string;
}

/**
 * Returns the events of a range in batches. Each has been checked to be the next one, and in the form that this
 * program writes.
 * @throws Damage at the first event that is missing or damaged
 */
export function walkHistory(
  db: Database,
  range: Range,
  gate: SignalGate,
): AsyncGenerator<readonly WalkedEvent[]> {
  return checkedEvents(batchesOf(db, range), range, gate);
}

/** Does the same with batches from any storage. */
export async function* checkedEvents(
  batches: Iterable<readonly StoredEvent[]> | AsyncIterable<readonly StoredEvent[]>,
  range: Range,
  gate: SignalGate,
): AsyncGenerator<readonly WalkedEvent[]> {
  let last = range.after;
  for await (const rows of batches) {
    yield rows.map((row) => {
      if (row.sequence !== last + 1) throw new Damage(`event ${last + 1} is missing`);
      last = row.sequence;
      return walked(row);
    });
    await gate.pass();
  }
  if (last !== range.upTo) throw new Damage(`event ${last + 1} is missing`);
}

function walked({ body, ...row }: StoredEvent): WalkedEvent {
  try {
    const line = eventLine({ ...row, body: typeof body === "string" ? body : decoder.decode(body) });
    return { ...parseEventLine(line.slice(0, -1)), line };
  } catch (error) {
    throw new Damage(`event ${row.sequence} is damaged: ${(error as Error).message}`);
  }
}
