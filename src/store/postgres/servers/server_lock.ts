import { sha256 } from "../../../model/sha256.ts";
import { booleanIn, textIn } from "../protocol/cells.ts";
import { DatabaseError } from "../protocol/errors.ts";
import type { Session } from "../protocol/session.ts";

/** "EvSt": the locks of event stores among those of others. */
const LOCK_CLASS = 0x45765374;

/** How often a lock is asked for that somebody has. */
export const LOCK_POLL_MILLISECONDS = 50;

/**
 * A server that has the lock gives a sign of life so often. One that gave none for so long has lost the store to the
 * next: time for a machine that is very busy, and for a takeover within 10 s.
 */
export const SIGN_MILLISECONDS = 1000;
const SILENT_SECONDS = 7;

/** The session that has the lock of a schema in this database. */
const HOLDER = `FROM pg_catalog.pg_locks l JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'advisory' AND l.granted AND l.classid = $1::bigint::oid AND l.objid = $2::bigint::oid
    AND l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())`;

/**
 * Takes the lock of the server that may write. PostgreSQL takes it back when the session ends, however that ends; so
 * what a session does is done by its holder.
 * @param patienceMilliseconds the session of a server that has just ended may not be over yet
 * @returns undefined, or else who has it
 */
export async function takeServerLock(
  session: Session,
  schema: string,
  patienceMilliseconds: number,
): Promise<string | undefined> {
  const endAt = performance.now() + patienceMilliseconds;
  for (;;) {
    if (await tryServerLock(session, schema)) return undefined;
    if (performance.now() >= endAt) return await holderOf(session, schema);
    await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MILLISECONDS));
  }
}

/** Takes the same lock, if nobody else has it. @returns whether this session has it now */
export async function tryServerLock(session: Session, schema: string): Promise<boolean> {
  const sql = "SELECT pg_try_advisory_lock($1::integer, $2::integer)";
  const params = [String(LOCK_CLASS), String(keyOf(schema))];
  const [[row] = []] = await session.run([{ sql, params }]);
  return booleanIn(row![0]);
}

/**
 * Ends the session that has the lock, if its server has given no sign of life for too long, as one that is frozen or cut
 * off. By the clock of PostgreSQL, and only while it waits for that server: a statement may take long.
 * @returns why that is not possible, if it is not
 */
export async function endSilentHolder(session: Session, schema: string): Promise<string | undefined> {
  const sql = `SELECT pg_terminate_backend(a.pid) ${HOLDER} AND a.wait_event_type = 'Client'
    AND clock_timestamp() - a.state_change > interval '${SILENT_SECONDS} seconds'`;
  try {
    await session.run([{ sql, params: holderParams(schema) }]);
    return undefined;
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return `another server has the store and does not answer, and its session cannot be ended: ${error.message}`;
  }
}

/** The second part of the lock's name: which schema. */
function keyOf(schema: string): number {
  return sha256(schema)[0]! | 0;
}

async function holderOf(session: Session, schema: string): Promise<string> {
  const sql = `SELECT a.pid::text, coalesce(host(a.client_addr), 'a unix socket') ${HOLDER}`;
  const [[row] = []] = await session.run([{ sql, params: holderParams(schema) }]);
  if (row === undefined) return "another server";
  return `another server (connected from ${textIn(row[1])}, process ${textIn(row[0])} of PostgreSQL)`;
}

function holderParams(schema: string): string[] {
  return [String(LOCK_CLASS), String(keyOf(schema) >>> 0)];
}
