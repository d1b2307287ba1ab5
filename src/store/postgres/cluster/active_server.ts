import { booleanIn, numberIn, textIn } from "../protocol/cells.ts";
import { DatabaseError } from "../protocol/errors.ts";
import type { Session } from "../protocol/session.ts";
import { SESSION_LOCK_CLASS } from "../tables/servers.ts";

/** How often a server that stands by looks whether the active one is still there. */
export const POLL_MILLISECONDS = 50;

/**
 * The active server gives a heartbeat on its session so often. After so long without one, the next server takes its
 * place: time for a machine that is very busy, and for a takeover within 10 s.
 */
export const HEARTBEAT_MILLISECONDS = 1000;
const SILENT_SECONDS = 7;

/** The server that has a store to itself, as its session shows. */
export interface ActiveServer {
  /** For messages. */
  readonly text: string;
  /** Its process in PostgreSQL. */
  readonly pid: number;
  /** Whether PostgreSQL has waited for it for too long, as for one that is frozen or cut off. */
  readonly isSilent: boolean;
}

/** A look is short and takes no lock. Without an answer for so long, a server that stands by connects anew. */
const LOOK_SILENCE_MILLISECONDS = 5000;

/**
 * The row of the store names the active server, whose row names its session. Only roles that may write to these tables can
 * change that; a role that may not see when a session of another one began goes by the heartbeats in the table.
 */
const ACTIVE = `SELECT a.pid, coalesce(host(a.client_addr), 'a unix socket'),
      coalesce(a.wait_event_type = 'Client' AND clock_timestamp() - a.state_change > interval '${SILENT_SECONDS} seconds', false)
    FROM store JOIN server s ON s.name = store.server CROSS JOIN LATERAL pg_stat_get_activity(s.pid) a
    WHERE (a.backend_start = s.session_start
      OR (a.backend_start IS NULL AND s.seen > clock_timestamp() - interval '15 seconds'))`;

/** When a pooler has given the connection to another client, only the lock shows it. */
const HOLDS_LOCK =
  ` AND EXISTS (SELECT FROM pg_locks l WHERE l.locktype = 'advisory' AND l.granted AND l.pid = s.pid
  AND l.classid = ${SESSION_LOCK_CLASS} AND l.objid = s.session_lock::oid)`;

/**
 * @param isQuick whether it is enough that the session is there: to look through all locks takes longer
 * @returns undefined when there is none, or its session has ended, however that ended
 */
export async function readActive(session: Session, isQuick = false): Promise<ActiveServer | undefined> {
  const [[row] = []] = await session.run(
    [{ sql: isQuick ? ACTIVE : ACTIVE + HOLDS_LOCK }],
    LOOK_SILENCE_MILLISECONDS,
  );
  if (row === undefined) return undefined;
  const pid = numberIn(row[0]);
  const text = `another server (connected from ${textIn(row[1])}, process ${pid} of PostgreSQL)`;
  return { text, pid, isSilent: booleanIn(row[2]) };
}

/**
 * Ends the session of a server that is silent.
 * @returns why that is not possible, if it is not
 */
export async function endSession(session: Session, { pid }: ActiveServer): Promise<string | undefined> {
  try {
    await session.run([{ sql: "SELECT pg_terminate_backend($1)", params: [String(pid)] }]);
    return undefined;
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return `another server has the store and does not answer, and its session cannot be ended: ${error.message}`;
  }
}
