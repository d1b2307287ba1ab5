import { delay } from "../../../async/delay.ts";
import { booleanIn, textIn } from "../protocol/cells.ts";
import { DatabaseError } from "../protocol/errors.ts";
import type { Session } from "../protocol/session.ts";
import { databaseFault, holdsStore } from "./check_database.ts";
import { openPrimary } from "./open_session.ts";
import type { PostgresLocation } from "./address.ts";

/** How long `wasCreated` tries to determine the outcome. */
const TIMEOUT_MILLISECONDS = 60_000;
const PAUSE_MILLISECONDS = 250;

/** PostgreSQL has never assigned this transaction number, as may happen after a failover. */
const UNKNOWN_TRANSACTION = "22023";

export interface CreatedStore {
  readonly storeId: string;
  /** How many events the new store contains. */
  readonly events: number;
}

/** A transaction that creates a store. */
interface Creation extends CreatedStore {
  /** Its transaction ID in PostgreSQL. */
  readonly transaction: string;
}

/** The answer to the COMMIT of a creation was lost. */
export class CommitLost extends Error {
  override readonly name = "CommitLost";
  readonly creation: Creation;

  constructor(creation: Creation, reason: string) {
    super(reason);
    this.creation = creation;
  }
}

/**
 * Determines whether a creation was committed. Once its transaction is over, the store ID shows that: no other
 * creation uses the same ID.
 * @returns undefined when PostgreSQL did not answer in time
 */
export async function wasCreated(
  place: PostgresLocation,
  { storeId, transaction }: Creation,
): Promise<boolean | undefined> {
  const endAt = performance.now() + TIMEOUT_MILLISECONDS;
  while (performance.now() < endAt) {
    const found = await foundId(place, transaction).catch(() => undefined);
    if (found !== undefined) return found.storeId === storeId;
    await delay(PAUSE_MILLISECONDS);
  }
  return undefined;
}

/** @returns the ID of the existing store, if there is one; undefined while that may still change */
async function foundId(
  place: PostgresLocation,
  transaction: string,
): Promise<{ readonly storeId: string | undefined } | undefined> {
  const session = await openPrimary(place, "setup");
  try {
    if (await databaseFault(session) !== undefined || await isInProgress(session, transaction)) {
      return undefined;
    }
    if (!await holdsStore(session, place.schema)) return { storeId: undefined };
    const [[row] = []] = await session.run([{ sql: "SELECT id FROM store" }]);
    return { storeId: textIn(row![0]) };
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
