import { parseQueried } from "../../../wire/event.ts";
import type { CommittedEvent } from "../../feed/commit_feed.ts";
import { eventTerms } from "../../index_terms.ts";
import { numberIn, type Row, textIn } from "../protocol/cells.ts";
import type { Statement } from "../protocol/session.ts";

/** With more remoteCommits than that, it is cheaper to forget what was known. */
export const REMOTE_COMMITS_MAX = 1000;

/** What stands between the tags of an event and its payload, which may be large. */
const PAYLOAD_START = '},"payload":';

const NEWS = `SELECT time, left(body, strpos(body, '${PAYLOAD_START}') + ${PAYLOAD_START.length - 1})
  FROM event WHERE sequence > $1 ORDER BY sequence LIMIT ${REMOTE_COMMITS_MAX}`;

/** The events after a sequence, which other servers have written. */
export function readRemoteCommits(after: number): Statement {
  return { sql: NEWS, params: [String(after)] };
}

/** What must be known of these events. */
export function remoteCommitsIn(rows: readonly Row[]): CommittedEvent[] {
  return rows.map(([time, queried]) => ({
    timeMicros: numberIn(time),
    terms: eventTerms(parseQueried(textIn(queried))),
  }));
}
