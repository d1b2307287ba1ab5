import { formatTimestamp } from "../../../model/timestamp.ts";
import { EVENT_LINE_END, eventLineStart } from "../../../wire/event.ts";
import type { Database } from "../connection/database.ts";
import type { Range } from "../../core/ranges/direction.ts";

/*
 * The lines of all events of a range, joined by SQLite. As rows, their bodies would become strings that are joined
 * and turned into bytes again, which takes twice as long.
 */

/** The events of a range, measured before their lines are read. */
export interface MeasuredEvents extends Range {
  readonly count: number;
  /** The approximate size of all lines. */
  readonly bytes: number;
  readonly first: { readonly sequence: number; readonly timeMicros: number };
}

/** The bytes of a line besides its body. */
const LINE_BYTES = 60;

const FIRST = "FROM event WHERE sequence > ?1 AND sequence <= ?2 ORDER BY sequence LIMIT 1";
const MEASURE =
  `SELECT count(*), total(octet_length(body)), (SELECT sequence ${FIRST}), (SELECT time ${FIRST})
  FROM event WHERE sequence > ?1 AND sequence <= ?2`;

/** Measures the events of a range; of a long body, only the length is read. */
export function measureEvents(db: Database, { after, upTo }: Range): MeasuredEvents {
  const row = db.get(MEASURE, BigInt(after), BigInt(upTo)) as [number, number, number, number];
  const [count, bodyBytes, sequence, timeMicros] = row;
  return { after, upTo, count, bytes: bodyBytes + count * LINE_BYTES, first: { sequence, timeMicros } };
}

const HOUR_MICROS = 3_600_000_000;
const HOUR_LENGTH = "2026-11-20T12:".length;

/** Seconds from the year 1 to 1970. SQLite divides towards zero, so times are made positive first. */
const EPOCH_SECONDS = 62_135_596_800;
const HOURS_TO_EPOCH = EPOCH_SECONDS / 3600;
const MICROS = `(time + ${EPOCH_SECONDS}000000)`;

/**
 * The text before each body except the first. Events are close in time, and formatting a date is most of the cost of
 * a line. So SQLite gets the text of one hour, and formats only other hours.
 */
const BETWEEN = EVENT_LINE_END + '{"sequence":%d,"time":"%s%02d:%02d.%06dZ",';
const LINES = `SELECT CAST(group_concat(body, format('${BETWEEN}', sequence,
    CASE ${MICROS} / ${HOUR_MICROS} WHEN ? THEN ?
      ELSE strftime('%Y-%m-%dT%H:', ${MICROS} / 1000000 - ${EPOCH_SECONDS}, 'unixepoch') END,
    ${MICROS} / 60000000 % 60, ${MICROS} / 1000000 % 60, ${MICROS} % 1000000
  )) AS BLOB) FROM event WHERE sequence > ? AND sequence <= ?`;

/** Returns the lines of the measured events, in parts. They come in the order in which SQLite walks the table. */
export function linesOf(
  db: Database,
  { after, upTo, count, first: { sequence, timeMicros } }: MeasuredEvents,
): (string | Uint8Array<ArrayBuffer>)[] {
  if (count === 0) return [];
  const hour = BigInt(HOURS_TO_EPOCH + Math.floor(timeMicros / HOUR_MICROS));
  const hourText = formatTimestamp(timeMicros).slice(0, HOUR_LENGTH);
  const [bodies] = db.get(LINES, hour, hourText, BigInt(after), BigInt(upTo)) as [Uint8Array<ArrayBuffer>];
  return [eventLineStart(sequence, timeMicros), bodies, EVENT_LINE_END];
}
