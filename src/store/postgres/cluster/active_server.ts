import { booleanIn, numberIn, textIn } from "../protocol/cells.ts";
import { DatabaseError } from "../protocol/errors.ts";
import type { Session } from "../protocol/session.ts";
import { SESSION_LOCK_CLASS } from "../tables/servers.ts";
import { ACTIVE_SILENCE, PEER_GONE, STANDBY_POLL_SILENCE } from "../time_limits.ts";

/** The server that has the store exclusively, as its session shows. */
export interface ActiveServer {
  /** A description for messages. */
  readonly text: string;
  /** The ID of its PostgreSQL process. */
  readonly pid: number;
  /** True when its session has sent nothing for too long, as if the server were frozen or cut off. */
  readonly isSilent: boolean;
}

/**
 * The row of the store names the active server, and the row of that server names its session. Only roles that may
 * write to these tables can change that. A role that may not see the start of another role's session uses the
 * heartbeats in the table instead.
 */
const ACTIVE = `SELECT a.pid, coalesce(host(a.client_addr), 'a unix socket'),
      coalesce(a.wait_event_type = 'Client' AND clock_timestamp() - a.state_change > interval '${ACTIVE_SILENCE} milliseconds', false)
    FROM store JOIN server s ON s.name = store.server CROSS JOIN LATERAL pg_stat_get_activity(s.pid) a
    WHERE (a.backend_start = s.session_start
      OR (a.backend_start IS NULL AND s.seen > clock_timestamp() - interval '${PEER_GONE} milliseconds'))`;

/** When a pooler has passed the connection to another client, only the lock shows it. */
const HOLDS_LOCK =
  ` AND EXISTS (SELECT FROM pg_locks l WHERE l.locktype = 'advisory' AND l.granted AND l.pid = s.pid
  AND l.classid = ${SESSION_LOCK_CLASS} AND l.objid = s.session_lock::oid)`;

/**
 * @param isQuick checks only the session, since a search through all locks takes longer
 * @returns undefined when no server is active, or its session has ended for any reason
 */
export async function readActive(session: Session, isQuick = false): Promise<ActiveServer | undefined> {
  const [[row] = []] = await session.run(
    [{ sql: isQuick ? ACTIVE : ACTIVE + HOLDS_LOCK }],
    STANDBY_POLL_SILENCE,
  );
  if (row === undefined) return undefined;
  const pid = numberIn(row[0]);
  const text = `another server (connected from ${textIn(row[1])}, process ${pid} of PostgreSQL)`;
  return { text, pid, isSilent: booleanIn(row[2]) };
}

/**
 * Terminates the session of a silent server.
 * @returns the reason if that fails
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
