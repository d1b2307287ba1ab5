import { DatabaseError } from "../protocol/errors.ts";
import type { Session } from "../protocol/session.ts";
import { SCHEMA_STATEMENTS, SCHEMA_VERSION } from "../tables/schema.ts";
import { databaseFault, holdsStore } from "./check_database.ts";
import { openSession } from "./open_session.ts";
import { PostgresStoreError, type StorePlace } from "./place.ts";

/**
 * Creates the tables of a store, and their schema if it does not exist, completely or not at all.
 * @returns the store ID
 * @throws DatabaseError, SessionLost
 */
export async function createStore(session: Session, schema: string): Promise<string> {
  const storeId = crypto.randomUUID();
  const first =
    `INSERT INTO store (only_row, schema_version, id, head, turns, edition, server) VALUES (1, $1, $2, 0, 0, '', '')`;
  try {
    await session.run([{ sql: "BEGIN" }]);
    // One that exists may belong to somebody who may not create others.
    const [found] = await session.run([{
      sql: "SELECT FROM pg_namespace WHERE nspname = $1",
      params: [schema],
    }]);
    if (found!.length === 0) await session.run([{ sql: `CREATE SCHEMA "${schema}"` }]);
    for (const sql of SCHEMA_STATEMENTS) await session.run([{ sql }]);
    await session.run([{ sql: first, params: [String(SCHEMA_VERSION), storeId] }, { sql: "COMMIT" }]);
    return storeId;
  } catch (error) {
    if (session.isOpen) await session.run([{ sql: "ROLLBACK" }]);
    throw error;
  }
}

/**
 * Creates a store where there is none, and nothing else.
 * @returns the store ID
 * @throws PostgresStoreError
 */
export async function initPostgresStore(place: StorePlace): Promise<string> {
  let session: Session | undefined;
  try {
    session = await openSession(place, "setup");
    const fault = await databaseFault(session);
    if (fault !== undefined) throw new PostgresStoreError(place, fault);
    if (await holdsStore(session, place.schema)) {
      throw new PostgresStoreError(place, "it exists already, and was left as it is");
    }
    return await createStore(session, place.schema);
  } catch (error) {
    if (error instanceof PostgresStoreError) throw error;
    throw new PostgresStoreError(place, `it cannot be created: ${reasonOf(error)}`);
  } finally {
    await session?.close();
  }
}

/** An error in words, with what to do about missing rights. */
export function reasonOf(error: unknown): string {
  const { message } = error as Error;
  const isForbidden = error instanceof DatabaseError && error.code === "42501";
  return isForbidden ? `${message}; its owner can create it with eventstore-init` : message;
}
