import { booleanIn, numberIn, type Row, textIn } from "../protocol/cells.ts";
import type { Statement } from "../protocol/session.ts";
import { PEER_GONE } from "../time_limits.ts";

/** A server that works on the store, or did so at its last heartbeat. */
export interface SeenServer {
  readonly name: string;
  readonly edition: string;
  /** Seconds since its last heartbeat. */
  readonly seconds: number;
  /** True when its last heartbeat is recent, compared with the heartbeat of the server that asks. */
  readonly isRecent: boolean;
  /** The last timeline on which this server has found everything that it has seen. */
  readonly timeline: string;
  /** True when the session on which it writes is registered. */
  readonly isRegistered: boolean;
}

/** The row of a killed server stays this long. */
const FORGOTTEN_DAYS = 7;

/** Writes a heartbeat. */
export function writeSeen(server: string, edition: string): Statement {
  return {
    sql: `INSERT INTO server (name, edition, seen, timeline, pid, session_start, session_lock)
      VALUES ($1, $2, clock_timestamp(), '', 0, clock_timestamp(), 0)
      ON CONFLICT (name) DO UPDATE SET seen = clock_timestamp()`,
    params: [server, edition],
  };
}

/** "EvSt": distinguishes the locks of registered sessions from other advisory locks. */
export const SESSION_LOCK_CLASS = 0x45765374;

/** Registers a server, with this session as the one on which it writes. */
export function register(server: string, edition: string, timeline: string): Statement[] {
  // The number is random and new, so no other session holds this lock.
  const lock = String(crypto.getRandomValues(new Uint32Array(1))[0]! >>> 1);
  return [
    { sql: `SELECT pg_advisory_lock(${SESSION_LOCK_CLASS}, $1::integer)`, params: [lock] },
    {
      sql: `INSERT INTO server (name, edition, seen, timeline, pid, session_start, session_lock)
        SELECT $1, $2, clock_timestamp(), $3, pid, backend_start, $4 FROM pg_stat_get_activity(pg_backend_pid())
        ON CONFLICT (name) DO UPDATE SET seen = excluded.seen, timeline = excluded.timeline,
          pid = excluded.pid, session_start = excluded.session_start, session_lock = excluded.session_lock`,
      params: [server, edition, timeline, lock],
    },
  ];
}

/** Records that a server has found everything that it has seen, even if its registration is lost. */
export function confirmTimeline(server: string, edition: string, timeline: string): Statement {
  return {
    sql: `INSERT INTO server (name, edition, seen, timeline, pid, session_start, session_lock)
      VALUES ($1, $2, clock_timestamp(), $3, 0, clock_timestamp(), 0)
      ON CONFLICT (name) DO UPDATE SET timeline = excluded.timeline`,
    params: [server, edition, timeline],
  };
}

export function deleteServer(server: string): Statement {
  return { sql: "DELETE FROM server WHERE name = $1", params: [server] };
}

export const DELETE_FORGOTTEN: Statement = {
  sql: `DELETE FROM server WHERE seen < clock_timestamp() - interval '${FORGOTTEN_DAYS} days'`,
};

const COLUMNS = `name, edition, extract(epoch FROM clock_timestamp() - seen)::integer,
  seen > coalesce((SELECT seen FROM server WHERE name = $1), clock_timestamp()) - interval '${PEER_GONE} milliseconds',
  timeline, pid <> 0`;

/** Reads the other servers with a recent heartbeat, the latest first. */
export function readOthers(server: string): Statement {
  return {
    sql: `SELECT ${COLUMNS} FROM server
      WHERE name <> $1 AND seen > clock_timestamp() - interval '${PEER_GONE} milliseconds' ORDER BY seen DESC`,
    params: [server],
  };
}

/** Reads all servers that have a row. */
export function readRegistered(server: string): Statement {
  return { sql: `SELECT ${COLUMNS} FROM server`, params: [server] };
}

export function seenServers(rows: readonly Row[]): SeenServer[] {
  return rows.map(([name, edition, seconds, isRecent, timeline, isRegistered]) => ({
    name: textIn(name),
    edition: textIn(edition),
    seconds: Math.max(0, numberIn(seconds)),
    isRecent: booleanIn(isRecent),
    timeline: textIn(timeline),
    isRegistered: booleanIn(isRegistered),
  }));
}
