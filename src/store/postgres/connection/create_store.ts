import type { StoredSubject } from "../../api/store.ts";
import { EMPTY_WRITE } from "../../api/write.ts";
import { type ImportBatch, isSealed as isAlreadySealed, needsSubjects } from "../../core/import_batch.ts";
import type { PreparedEvent } from "../../core/prepare_event.ts";
import { NO_MASTER_KEYS } from "../../core/sealing/master_keys.ts";
import { textIn } from "../protocol/cells.ts";
import { DatabaseError, SessionLost } from "../protocol/errors.ts";
import type { Session } from "../protocol/session.ts";
import { appendEvents } from "../tables/events.ts";
import { insertProjections } from "../tables/projections.ts";
import {
  INDEX_STATEMENTS,
  SCHEMA_VERSION,
  SEALING_STATEMENTS,
  SEALING_VERSION,
  TABLE_STATEMENTS,
} from "../tables/schema.ts";
import { addKeys, type MadeKey } from "../tables/subjects.ts";
import { addTurn } from "../tables/turns.ts";
import { RecentKeys } from "../writing/recent_keys.ts";
import { SubjectsInTransaction } from "../writing/subjects_in_transaction.ts";
import { databaseFault, holdsStore } from "./check_database.ts";
import { type Creation, wasCreated } from "./lost_commit.ts";
import { openPrimary } from "./open_session.ts";
import { type PostgresLocation, PostgresStoreError, reasonOf } from "./address.ts";

/** Until it has finished, a creation locks the names of its tables and its schema. */
const LOCK_NOT_AVAILABLE = "55P03";

interface CreatedStore {
  readonly storeId: string;
  /** How many events the new store contains. */
  readonly events: number;
}

const COMMIT = { sql: "COMMIT" };

const newStoreId = (): string => crypto.randomUUID();

/**
 * Creates a store without events, completely or not at all.
 * @throws DatabaseError, SessionLost
 */
export async function createStore(session: Session, schema: string): Promise<void> {
  await build(session, schema, [], [], newStoreId);
  await session.run([COMMIT]);
}

/**
 * Creates the tables of a store, and their schema if it does not exist, in a transaction that is still open.
 * @param batches the first events, and projections
 * @param subjectNames the identifiers that stand for a person; payloads of their events are encrypted
 * @param storeIdOf returns the store ID, when all batches have been read
 * @throws DatabaseError, SessionLost, and errors of `batches`
 */
async function build(
  session: Session,
  schema: string,
  batches: Iterable<ImportBatch>,
  subjectNames: readonly string[],
  storeIdOf: () => string,
): Promise<CreatedStore & Creation> {
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
    const { events, isSealed } = await fill(session, batches, subjectNames);
    for (const sql of INDEX_STATEMENTS) await session.run([{ sql }]);
    const storeId = storeIdOf();
    const turn = addTurn(events, { number: 0, name: crypto.randomUUID() });
    const version = isSealed ? SEALING_VERSION : SCHEMA_VERSION;
    await session.run([{ sql: first, params: [String(version), storeId] }, turn]);
    return { storeId, events, transaction };
  } catch (error) {
    await session.rollback();
    throw error;
  }
}

/** @returns how many events there were, and whether there are tables of subjects */
async function fill(
  session: Session,
  batches: Iterable<ImportBatch>,
  subjectNames: readonly string[],
): Promise<{ readonly events: number; readonly isSealed: boolean }> {
  const names = new Set(subjectNames);
  const recent = new RecentKeys();
  let head = 0;
  let isSealed = false;
  for (const batch of batches) {
    const { events, projections, subjects = [] } = batch;
    if (!isSealed && (names.size > 0 || needsSubjects(batch))) {
      isSealed = true;
      for (const sql of SEALING_STATEMENTS) await session.run([{ sql }]);
    }
    await session.run(addKeys(subjects.map(madeKey), NO_MASTER_KEYS));
    const sealed = names.size === 0 ? events : await sealedEvents(session, events, names, recent);
    await session.run([...appendEvents(head, sealed), ...insertProjections(projections)]);
    head += events.length;
  }
  return { events: head, isSealed };
}

function madeKey({ id, subject, key: bytes, forgottenMicros }: StoredSubject): MadeKey {
  return { subject, key: { id, bytes: bytes ?? new Uint8Array() }, forgottenMicros };
}

/** Encrypts payloads of subjects, and stores the keys that this needs. */
async function sealedEvents(
  session: Session,
  events: readonly PreparedEvent[],
  names: ReadonlySet<string>,
  recent: RecentKeys,
): Promise<readonly PreparedEvent[]> {
  const plain = events.filter((event) => !isAlreadySealed(event));
  // The first server that starts wraps the keys, if it has a master key.
  const writes = [{ ...EMPTY_WRITE, events: plain }];
  const subjects = new SubjectsInTransaction(writes, names, recent, NO_MASTER_KEYS);
  const { question } = subjects;
  if (question !== undefined) subjects.know((await session.run([question]))[0]!);
  const sealed = events.map((event) => isAlreadySealed(event) ? event : subjects.sealed(event));
  await session.run(subjects.statements);
  return sealed;
}

/**
 * Creates a store where there is none, and changes nothing else.
 * @param batches the first events, and projections
 * @param subjectNames the identifiers that stand for a person; payloads of their events are encrypted
 * @param storeIdOf returns the store ID, when all batches have been read
 * @throws PostgresStoreError, and errors of `batches`
 */
export async function initPostgresStore(
  location: PostgresLocation,
  batches: Iterable<ImportBatch> = [],
  subjectNames: readonly string[] = [],
  storeIdOf = newStoreId,
): Promise<CreatedStore> {
  let session: Session | undefined;
  try {
    session = await openPrimary(location, "setup");
    const fault = await databaseFault(session);
    if (fault !== undefined) throw new PostgresStoreError(location, fault);
    if (await holdsStore(session, location.schema)) {
      throw new PostgresStoreError(location, "it exists already, and was left as it is");
    }
    const creation = await build(session, location.schema, batches, subjectNames, storeIdOf);
    const { storeId, events } = creation;
    await session.run([COMMIT]).catch((error: Error) => {
      if (!(error instanceof SessionLost)) throw error;
      return afterLostAnswer(location, creation, error);
    });
    return { storeId, events };
  } catch (error) {
    if (!(error instanceof DatabaseError || error instanceof SessionLost)) throw error;
    const isLocked = error instanceof DatabaseError && error.code === LOCK_NOT_AVAILABLE;
    const reason = isLocked ? "another program is creating it at the moment" : reasonOf(error);
    throw new PostgresStoreError(location, `it cannot be created, and nothing was changed: ${reason}`);
  } finally {
    await session?.close();
  }
}

/** @throws PostgresStoreError unless a creation whose COMMIT lost its answer was committed */
async function afterLostAnswer(
  location: PostgresLocation,
  creation: Creation,
  { message }: Error,
): Promise<void> {
  switch (await wasCreated(location, creation)) {
    case true:
      return;
    case false:
      throw new PostgresStoreError(location, `it was not created, and nothing was changed: ${message}`);
    case undefined:
      throw new PostgresStoreError(
        location,
        `the answer to the COMMIT was lost, and PostgreSQL did not say whether it was created: ${message}. ` +
          `If "SELECT id FROM ${location.schema}.store" gives ${creation.storeId}, it is there with all events; if not, ` +
          "nothing is",
      );
  }
}
