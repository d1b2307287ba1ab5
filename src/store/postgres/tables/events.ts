import type { StoredEvent } from "../../core/chunks/chunk_search.ts";
import type { PreparedEvent } from "../../core/prepare_event.ts";
import { bytesIn, numberIn, type Row } from "../protocol/cells.ts";
import type { Statement } from "../protocol/session.ts";
import type { Direction, Range } from "../../core/ranges/direction.ts";
import { arrayText } from "./array_text.ts";
import { addTimeBlocks } from "./time_index.ts";

/** Appends events with the sequences that follow `head`, and adds them to both indexes. */
export function appendEvents(head: number, events: readonly PreparedEvent[]): Statement[] {
  if (events.length === 0) return [];
  // JSON has no line ends, so they can separate the bodies. PostgreSQL's own array form would need quoting.
  const bodies = events.map(({ body }) => body).join("\n");
  const terms = events.map(({ terms }) => terms).join("\n");
  return [
    {
      sql: `INSERT INTO event (sequence, time, body) SELECT $1::bigint + n, t, b
        FROM unnest($2::bigint[], string_to_array($3::text, E'\\n')) WITH ORDINALITY AS e (t, b, n)`,
      params: [String(head), arrayText(events.map(({ timeMicros }) => timeMicros)), bodies],
    },
    {
      sql: `INSERT INTO event_term (term, sequence) SELECT term::uuid, $1::bigint + n
        FROM unnest(string_to_array($2::text, E'\\n')) WITH ORDINALITY AS e (terms, n),
        unnest(string_to_array(terms, ' ')) AS term ON CONFLICT DO NOTHING`,
      params: [String(head), terms],
    },
    ...addTimeBlocks(head, head + events.length),
  ];
}

/** Deletes all events. Older snapshots still see them. */
export const DELETE_EVENTS: readonly Statement[] = [
  { sql: "DELETE FROM event" },
  { sql: "DELETE FROM event_term" },
  { sql: "DELETE FROM time_block" },
];

export type EventRow = StoredEvent & { readonly body: Uint8Array };

const SCAN =
  "SELECT sequence, time, body FROM event WHERE sequence > $1 AND sequence <= $2 ORDER BY sequence";
const SCANS = { forwards: `${SCAN} LIMIT $3`, backwards: `${SCAN} DESC LIMIT $3` };

/** The first events of a range in the order of a search, at most `rowsMax`. */
export function scanEvents({ after, upTo }: Range, rowsMax: number, direction: Direction): Statement {
  return { sql: SCANS[direction], params: [String(after), String(upTo), String(rowsMax)] };
}

const LISTED = "SELECT sequence, time, body FROM event WHERE sequence = ANY($1::bigint[]) ORDER BY sequence";
const LISTS = { forwards: LISTED, backwards: `${LISTED} DESC` };

/** The events with the given sequences, in the order of a search. */
export function eventsAt(sequences: readonly number[], direction: Direction): Statement {
  return { sql: LISTS[direction], params: [arrayText(sequences)] };
}

export function eventRow([sequence, time, body]: Row): EventRow {
  return { sequence: numberIn(sequence), timeMicros: numberIn(time), body: bytesIn(body) };
}
