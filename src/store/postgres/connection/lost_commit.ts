import { delay } from "../../../async/delay.ts";
import { booleanIn, textIn } from "../protocol/cells.ts";
import { DatabaseError } from "../protocol/errors.ts";
import type { Session } from "../protocol/session.ts";
import type { PostgresLocation } from "./address.ts";
import { databaseFault, holdsStore } from "./check_database.ts";
import { openPrimary } from "./open_session.ts";

/** How long `wasCreated` asks for the outcome. */
const CREATED_MILLISECONDS = 60_000;
const PAUSE_MILLISECONDS = 250;

/** PostgreSQL has never assigned this transaction number, as may happen after a failover. */
const UNKNOWN_TRANSACTION = "22023";

/** A transaction that creates a store. */
export interface Creation {
  readonly storeId: string;
  /** Its transaction ID in PostgreSQL. */
  readonly transaction: string;
}

/**
 * Determines whether a creation was committed. Once its transaction is over, the store ID shows that: no other
 * creation uses the same ID.
 * @returns undefined when PostgreSQL did not answer in time
 */
export async function wasCreated(
  location: PostgresLocation,
  creation: Creation,
): Promise<boolean | undefined> {
  return await answerWithin(CREATED_MILLISECONDS, () => isThere(location, creation));
}

/** Asks until there is an answer. If asking fails, the next attempt may succeed. @returns undefined when time is over */
export async function answerWithin<T>(
  milliseconds: number,
  ask: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const endAt = performance.now() + milliseconds;
  while (performance.now() < endAt) {
    const answer = await ask().catch(() => undefined);
    if (answer !== undefined) return answer;
    await delay(PAUSE_MILLISECONDS);
  }
  return undefined;
}

/** @returns undefined while the answer may still change */
async function isThere(
  location: PostgresLocation,
  { storeId, transaction }: Creation,
): Promise<boolean | undefined> {
  const session = await openPrimary(location, "setup");
  try {
    if (await databaseFault(session) !== undefined || await isInProgress(session, transaction)) {
      return undefined;
    }
    if (!await holdsStore(session, location.schema)) return false;
    const [[row] = []] = await session.run([{ sql: "SELECT id FROM store" }]);
    return textIn(row![0]) === storeId;
  } finally {
    await session.close();
  }
}

async function isInProgress(session: Session, transaction: string): Promise<boolean> {
  const sql = "SELECT coalesce(pg_xact_status($1::xid8) = 'in progress', false)";
  try {
    const [[row] = []] = await session.run([{ sql, params: [transaction] }]);
    return booleanIn(row![0]);
  } catch (error) {
    if (error instanceof DatabaseError && error.code === UNKNOWN_TRANSACTION) return false;
    throw error;
  }
}
