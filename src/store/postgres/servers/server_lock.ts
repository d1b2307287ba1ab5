import { sha256 } from "../../../model/sha256.ts";
import { booleanIn, textIn } from "../protocol/cells.ts";
import type { Session } from "../protocol/session.ts";

/** "EvSt": the locks of event stores among those of others. */
const LOCK_CLASS = 0x45765374;

/** How often a lock is asked for that somebody has. */
const PAUSE_MILLISECONDS = 50;

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
  const sql = "SELECT pg_try_advisory_lock($1::integer, $2::integer)";
  const params = [String(LOCK_CLASS), String(keyOf(schema))];
  const endAt = performance.now() + patienceMilliseconds;
  for (;;) {
    const [[row] = []] = await session.run([{ sql, params }]);
    if (booleanIn(row![0])) return undefined;
    if (performance.now() >= endAt) return await holderOf(session, schema);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLISECONDS));
  }
}

/** The second part of the lock's name: which schema. */
function keyOf(schema: string): number {
  return sha256(schema)[0]! | 0;
}

async function holderOf(session: Session, schema: string): Promise<string> {
  const sql = `SELECT a.pid::text, coalesce(host(a.client_addr), 'a unix socket') FROM pg_catalog.pg_locks l
    JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'advisory' AND l.classid = $1::bigint::oid AND l.objid = $2::bigint::oid AND l.granted`;
  const params = [String(LOCK_CLASS), String(keyOf(schema) >>> 0)];
  const [[row] = []] = await session.run([{ sql, params }]);
  if (row === undefined) return "another server";
  return `another server (connected from ${textIn(row[1])}, process ${textIn(row[0])} of PostgreSQL)`;
}
