import { parseQueried } from "../../../wire/event.ts";
import type { CommittedEvent } from "../../feed/commit_feed.ts";
import { eventTerms } from "../../core/index_terms.ts";
import { numberIn, type Row, textIn } from "../protocol/cells.ts";
import type { Statement } from "../protocol/session.ts";

/** The maximum of remote commits to read. With more, it is cheaper to forget the recent events. */
const REMOTE_COMMITS_MAX = 1000;

/** Separates the tags of an event from its payload, which may be large. */
const PAYLOAD_START = '},"payload":';

const REMOTE_COMMITS = `SELECT time, left(body, strpos(body, '${PAYLOAD_START}') + ${
  PAYLOAD_START.length - 1
})
  FROM event WHERE sequence > $1 ORDER BY sequence LIMIT ${REMOTE_COMMITS_MAX}`;

/** Reads the events after a sequence, which other servers have committed. */
export function readRemoteCommits(after: number): Statement {
  return { sql: REMOTE_COMMITS, params: [String(after)] };
}

/** Returns the times and the terms of these events. */
export function remoteCommitsIn(rows: readonly Row[]): CommittedEvent[] {
  return rows.map(([time, queried]) => ({
    timeMicros: numberIn(time),
    terms: eventTerms(parseQueried(textIn(queried))),
  }));
}
