import { numberIn, textIn } from "../protocol/cells.ts";
import { DatabaseError, SessionLost } from "../protocol/errors.ts";
import type { Session } from "../protocol/session.ts";
import { SEALING_STATEMENTS, SEALING_VERSION } from "../tables/schema.ts";
import { readOthers, seenServers } from "../tables/servers.ts";
import { LOCK_STORE } from "../tables/state.ts";
import { type PostgresLocation, PostgresStoreError, reasonOf } from "./address.ts";
import { databaseFault, holdsStore, versionFault } from "./check_database.ts";
import { openPrimary } from "./open_session.ts";

const READ_VERSION = { sql: "SELECT schema_version, current_user::text FROM store" };

const LACKS_PRIVILEGE = "42501";

/**
 * Creates the tables of subjects, if the store lacks them.
 * @throws PostgresStoreError when the role may not create them, or a server works on the store without them;
 *   DatabaseError, SessionLost
 */
export async function addSubjects(session: Session, location: PostgresLocation): Promise<void> {
  const [before] = await session.run([READ_VERSION]);
  if (numberIn(before![0]![0]) === SEALING_VERSION) return;
  const role = textIn(before![0]![1]);
  try {
    const [, , now, others] = await session.run([{ sql: "BEGIN" }, LOCK_STORE, READ_VERSION, readOthers("")]);
    // Another server that started at the same time may have been faster.
    if (numberIn(now![0]![0]) === SEALING_VERSION) return await session.rollback();
    const [server] = seenServers(others!);
    if (server !== undefined) {
      throw new PostgresStoreError(
        location,
        `a server of edition ${server.edition} works on it without subjects (seen ${server.seconds} s ago): ` +
          "stop all servers before the first start with subjects",
      );
    }
    await session.run([
      ...SEALING_STATEMENTS.map((sql) => ({ sql })),
      { sql: "UPDATE store SET schema_version = $1", params: [String(SEALING_VERSION)] },
      { sql: "COMMIT" },
    ]);
  } catch (error) {
    await session.rollback();
    if (!(error instanceof DatabaseError) || error.code !== LACKS_PRIVILEGE) throw error;
    throw new PostgresStoreError(
      location,
      `it lacks the tables of subjects, and ${role} may not create them (${error.message}); ` +
        "its owner can do so with eventstore-init --add-subjects",
    );
  }
}

/**
 * Does the same as the owner of a store, without a server.
 * @throws PostgresStoreError
 */
export async function addSubjectsTo(location: PostgresLocation): Promise<void> {
  let session: Session | undefined;
  try {
    session = await openPrimary(location, "setup");
    const fault = await databaseFault(session) ??
      (await holdsStore(session, location.schema) ? await versionFault(session, true) : "there is no store");
    if (fault !== undefined) throw new PostgresStoreError(location, fault);
    await addSubjects(session, location);
  } catch (error) {
    if (!(error instanceof DatabaseError || error instanceof SessionLost)) throw error;
    throw new PostgresStoreError(location, `the tables of subjects cannot be added: ${reasonOf(error)}`);
  } finally {
    await session?.close();
  }
}
