import type { PreparedEvent } from "../../core/prepare_event.ts";
import { textIn } from "../protocol/cells.ts";
import { DatabaseError, SessionLost } from "../protocol/errors.ts";
import type { Session } from "../protocol/session.ts";
import { appendEvents } from "../tables/events.ts";
import { INDEX_STATEMENTS, SCHEMA_VERSION, TABLE_STATEMENTS } from "../tables/schema.ts";
import { addTurn } from "../tables/turns.ts";
import { databaseFault, holdsStore } from "./check_database.ts";
import { CommitLost, type CreatedStore, wasCreated } from "./lost_commit.ts";
import { openPrimary } from "./open_session.ts";
import { type PostgresLocation, PostgresStoreError, reasonOf } from "./address.ts";

/** Until it has finished, a creation locks the names of its tables and its schema. */
const LOCK_NOT_AVAILABLE = "55P03";

/**
 * Creates the tables of a store, and their schema if it does not exist, completely or not at all.
 * @param batches the first events
 * @throws DatabaseError, SessionLost, CommitLost, and errors of `batches`
 */
export async function createStore(
  session: Session,
  schema: string,
  batches: Iterable<readonly PreparedEvent[]> = [],
): Promise<CreatedStore> {
  const storeId = crypto.randomUUID();
  // The first server accepts the database as it is.
  const first =
    `INSERT INTO store (only_row, schema_version, id, edition, server) VALUES (1, $1, $2, '', '')`;
  try {
    const [, number] = await session.run([
      { sql: "BEGIN" },
      { sql: "SELECT pg_current_xact_id()::text" },
    ]);
    const transaction = textIn(number![0]![0]);
    // The role may own an existing schema without the right to create others.
    const [found] = await session.run([{
      sql: "SELECT FROM pg_namespace WHERE nspname = $1",
      params: [schema],
    }]);
    if (found!.length === 0) await session.run([{ sql: `CREATE SCHEMA "${schema}"` }]);
    for (const sql of TABLE_STATEMENTS) await session.run([{ sql }]);
    const events = await fill(session, batches);
    for (const sql of INDEX_STATEMENTS) await session.run([{ sql }]);
    const turn = addTurn(events, { number: 0, name: crypto.randomUUID() });
    await session.run([{ sql: first, params: [String(SCHEMA_VERSION), storeId] }, turn]);
    await session.run([{ sql: "COMMIT" }]).catch((error: Error) => {
      if (!(error instanceof SessionLost)) throw error;
      throw new CommitLost({ storeId, events, transaction }, error.message);
    });
    return { storeId, events };
  } catch (error) {
    if (session.isOpen) await session.run([{ sql: "ROLLBACK" }]).catch(() => session.close());
    throw error;
  }
}

/** @returns how many events there were */
async function fill(session: Session, batches: Iterable<readonly PreparedEvent[]>): Promise<number> {
  let head = 0;
  for (const events of batches) {
    await session.run(appendEvents(head, events));
    head += events.length;
  }
  return head;
}

/**
 * Creates a store where there is none, and changes nothing else.
 * @param batches the first events
 * @throws PostgresStoreError, and errors of `batches`
 */
export async function initPostgresStore(
  place: PostgresLocation,
  batches?: Iterable<readonly PreparedEvent[]>,
): Promise<CreatedStore> {
  let session: Session | undefined;
  try {
    session = await openPrimary(place, "setup");
    const fault = await databaseFault(session);
    if (fault !== undefined) throw new PostgresStoreError(place, fault);
    if (await holdsStore(session, place.schema)) {
      throw new PostgresStoreError(place, "it exists already, and was left as it is");
    }
    return await createStore(session, place.schema, batches);
  } catch (error) {
    if (error instanceof CommitLost) return await afterLostAnswer(place, error);
    if (!(error instanceof DatabaseError || error instanceof SessionLost)) throw error;
    const isLocked = error instanceof DatabaseError && error.code === LOCK_NOT_AVAILABLE;
    const reason = isLocked ? "another program is creating it at the moment" : reasonOf(error);
    throw new PostgresStoreError(place, `it cannot be created, and nothing was changed: ${reason}`);
  } finally {
    await session?.close();
  }
}

/** Reports the outcome of a creation when the answer to its COMMIT was lost. */
async function afterLostAnswer(
  place: PostgresLocation,
  { creation, message }: CommitLost,
): Promise<CreatedStore> {
  const { storeId, events } = creation;
  switch (await wasCreated(place, creation)) {
    case true:
      return { storeId, events };
    case false:
      throw new PostgresStoreError(place, `it was not created, and nothing was changed: ${message}`);
    case undefined:
      throw new PostgresStoreError(
        place,
        `the answer to the COMMIT was lost, and PostgreSQL did not say whether it was created: ${message}. ` +
          `If "SELECT id FROM ${place.schema}.store" gives ${storeId}, it is there with all events; if not, ` +
          "nothing is",
      );
  }
}
