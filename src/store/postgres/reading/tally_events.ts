import type { StoreState } from "../../api/state.ts";
import type { Kind, Tally } from "../../api/tally.ts";
import { IDENTIFIERS, METADATA, TYPE_START } from "../../../wire/event.ts";
import { IDENTIFIER, TALLY_EVENTS } from "../../core/catalog/kinds.ts";
import { numberIn, type Row, textIn } from "../protocol/cells.ts";
import type { Session } from "../protocol/session.ts";

const TYPE_END = `position('${IDENTIFIERS}' in body)`;
const NAMES_START = `${TYPE_END} + ${IDENTIFIERS.length}`;

/** PostgreSQL counts, so that the texts of the events need not be sent. */
const TALLY =
  `SELECT kind, count(*), min(sequence), max(sequence), max(time) FILTER (WHERE sequence = $2) FROM (
    SELECT sequence, time, '[' || substring(body FROM ${TYPE_START + 1} FOR ${TYPE_END} - ${
    TYPE_START + 1
  }) || ',['
      || regexp_replace(
        substring(body FROM ${NAMES_START} FOR position('${METADATA}' in body) - (${NAMES_START})),
        '${IDENTIFIER}', '\\1', 'g'
      ) || ']]' AS kind
    FROM event WHERE sequence > $1 AND sequence <= $2
  ) AS started GROUP BY kind`;

/** Counts the events after a sequence, in the caller's transaction. */
export async function tallyEvents(
  session: Pick<Session, "run">,
  { storeId, head }: StoreState,
  afterSequence: number,
): Promise<Tally> {
  const last = Math.max(afterSequence, Math.min(head, afterSequence + TALLY_EVENTS));
  const [rows] = await session.run([{ sql: TALLY, params: [String(afterSequence), String(last)] }]);
  const ofLast = rows!.find((row) => row[4] !== null);
  const lastTimeMicros = ofLast && numberIn(ofLast[4]);
  return { storeId, head, last, lastTimeMicros, kinds: rows!.map(kindOf) };
}

function kindOf([kind, count, first, last]: Row): Kind {
  const [type, identifiers] = JSON.parse(textIn(kind));
  return { type, identifiers, count: numberIn(count), first: numberIn(first), last: numberIn(last) };
}
