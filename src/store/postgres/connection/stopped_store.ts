import type { ProjectionReplace } from "../../../model/projection.ts";
import { CHUNK_BYTES } from "../../api/chunk.ts";
import type { StoppedStore } from "../../api/stopped_store.ts";
import { type BatchLimits, BatchSize } from "../../core/chunks/batch_size.ts";
import { MasterKeys } from "../../core/sealing/master_keys.ts";
import { subjectParts } from "../../core/subject_parts.ts";
import { DatabaseError, SessionLost } from "../protocol/errors.ts";
import type { Session } from "../protocol/session.ts";
import { BATCHES, batchesOf } from "../reading/event_batches.ts";
import { allProjections, storedProjections } from "../tables/projections.ts";
import { SEALING_VERSION } from "../tables/schema.ts";
import { readOthers, seenServers } from "../tables/servers.ts";
import { LOCK_STORE, MOVED, READ_STATE, type StoreRow, storeRow, writeOwner } from "../tables/state.ts";
import { readSubjects, subjectsIn } from "../tables/subjects.ts";
import { type PostgresLocation, PostgresStoreError, reasonOf } from "./address.ts";
import { holdsStore, versionFault } from "./check_database.ts";
import { openPrimary } from "./open_session.ts";

/** Each batch fills a chunk, not only the first ones: a move reads the whole store, and each batch is a round trip. */
const WHOLE_STORE: BatchLimits = { ...BATCHES, bytesMin: CHUNK_BYTES, eventsMax: 500 };

/**
 * Reads a store that no server uses, and locks it meanwhile.
 * @param marksMoved true to mark the store as moved when everything was read, so that no server starts on it again
 * @param masterKeys those that wrap the keys of subjects, in Base64
 * @throws PostgresStoreError, and errors of `read`
 */
export async function readStoppedStore(
  location: PostgresLocation,
  read: (store: StoppedStore) => Promise<void>,
  marksMoved: boolean,
  masterKeys: readonly string[] = [],
): Promise<void> {
  let session: Session | undefined;
  try {
    session = await openPrimary(location, "setup");
    if (!await holdsStore(session, location.schema)) {
      throw new PostgresStoreError(location, "there is no store");
    }
    const fault = await versionFault(session, true);
    if (fault !== undefined) throw new PostgresStoreError(location, fault);
    await rejectServers(session, location);
    const [, , rows] = await session.run([{ sql: "BEGIN" }, LOCK_STORE, READ_STATE]);
    await read(contentOf(session, storeRow(rows!), new MasterKeys(masterKeys)));
    if (marksMoved) await session.run([writeOwner({ edition: MOVED, server: "" })]);
    await session.run([{ sql: "COMMIT" }]);
  } catch (error) {
    if (!(error instanceof DatabaseError || error instanceof SessionLost)) throw error;
    throw new PostgresStoreError(location, `it cannot be read: ${reasonOf(error)}`);
  } finally {
    await session?.close();
  }
}

async function rejectServers(session: Session, location: PostgresLocation): Promise<void> {
  const [rows] = await session.run([readOthers("")]);
  const [server] = seenServers(rows!);
  if (server === undefined) return;
  throw new PostgresStoreError(
    location,
    `a server of edition ${server.edition} works on it (seen ${server.seconds} s ago): stop it first`,
  );
}

function contentOf(
  session: Session,
  { storeId, head, schemaVersion }: StoreRow,
  masters: MasterKeys,
): StoppedStore {
  return {
    storeId,
    head,
    events() {
      const size = new BatchSize(WHOLE_STORE);
      return batchesOf(session, { after: 0, upTo: head }, "forwards", size, Infinity);
    },
    async *projections() {
      let after: ProjectionReplace | undefined;
      for (;;) {
        const [rows] = await session.run([allProjections(after)]);
        const found = storedProjections(rows!);
        if (found.length === 0) return;
        yield* found;
        after = found.at(-1);
      }
    },
    async *subjects() {
      if (schemaVersion !== SEALING_VERSION) return;
      yield* subjectParts(async (after) => {
        const [rows] = await session.run([readSubjects(after)]);
        return subjectsIn(rows!, after, masters);
      });
    },
  };
}
