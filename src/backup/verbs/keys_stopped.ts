import { UsageError } from "../../config/config_error.ts";
import { ApiError } from "../../model/errors.ts";
import type { StoredSubject } from "../../store/api/store.ts";
import type { StoppedStore } from "../../store/api/stopped_store.ts";
import { MasterKeys } from "../../store/core/sealing/master_keys.ts";
import { assertUsable } from "../../store/core/sealing/stored_subject.ts";
import { subjectParts } from "../../store/core/subject_parts.ts";
import { openForChecking } from "../../store/sqlite/connection/connection.ts";
import { type Database, sqlCodeOf } from "../../store/sqlite/connection/database.ts";
import { checkDatabaseFile, storePaths } from "../../store/sqlite/data_directory/database_file.ts";
import { readState } from "../../store/sqlite/tables/identity.ts";
import { hasSubjects, subjectsAfter } from "../../store/sqlite/tables/subjects.ts";
import { lockStopped } from "../directory/stopped_directory.ts";
import { SignalGate } from "../history/signal_gate.ts";
import { writeForgottenList } from "../subjects/forgotten_list.ts";
import { writeKeysFile } from "../subjects/keys_file.ts";
import {
  decodeForgottenLine,
  decodeKeyLine,
  type ForgottenKey,
  forgottenLine,
  type KeptKey,
  keyLine,
} from "../subjects/subject_lines.ts";
import { type KeysOptions, keysText } from "./keys.ts";
import type { VerbContext, VerbEnd } from "./verb_context.ts";

/** The subjects of a store whose servers are stopped. */
export interface StoppedSubjects {
  /** For messages. */
  readonly name: string;
  /** Locks the store while it is read. */
  read(
    read: (store: Pick<StoppedStore, "storeId" | "subjects">) => Promise<void>,
    marksMoved: false,
  ): Promise<void>;
}

/** Writes the keys of a store whose servers are stopped, and maybe the list of what was forgotten. */
export async function keysOfStopped(
  { stopped, print }: VerbContext,
  { name, read }: StoppedSubjects,
  { output, forgotten, metricsFile, quiet }: KeysOptions,
): VerbEnd {
  if (metricsFile !== undefined) {
    throw new UsageError([
      "--metrics-file is for copies of a running server, not with --from or --from-server",
    ]);
  }
  const gate = new SignalGate(stopped);
  let storeId = "";
  const keys: KeptKey[] = [];
  const gone = new Map<string, ForgottenKey>();
  await read(async (store) => {
    ({ storeId } = store);
    for await (const part of store.subjects()) {
      for (const stored of part) {
        assertUsable(stored);
        const { id, subject, key, forgottenMicros } = stored;
        if (key !== undefined) {
          keys.push(checked(name, keyLine({ id, subject, bytes: key }), decodeKeyLine));
        } else if (forgottenMicros !== undefined) {
          gone.set(id, checked(name, forgottenLine({ id, subject, forgottenMicros }), decodeForgottenLine));
        }
      }
      await gate.pass();
    }
  }, false);
  if (forgotten !== undefined) writeForgottenList(forgotten, storeId, gone);
  const { count } = await writeKeysFile([{ storeId, items: keys }], output);
  if (!quiet) print(keysText(output, count, storeId));
  return true;
}

const encoder = new TextEncoder();

/** Decodes the line of a key, with the checks that the line of a server gets. */
function checked<Item>(name: string, line: string, decode: (line: Uint8Array) => Item): Item {
  try {
    return decode(encoder.encode(line));
  } catch (error) {
    throw new Error(`${name} is damaged: ${(error as Error).message}`);
  }
}

/**
 * The store in the data directory of a stopped server.
 * @param masterKeys those that wrap its keys, in Base64
 */
export function stoppedDirectory(dataDir: string, masterKeys: readonly string[] = []): StoppedSubjects {
  const masters = new MasterKeys(masterKeys);
  const { database: path } = storePaths(dataDir);
  return {
    name: path,
    async read(read) {
      using _lock = lockStopped(dataDir);
      checkDatabaseFile(path);
      try {
        using db = openForChecking(path);
        await read({ ...readState(db), subjects: () => subjectsIn(db, masters) });
      } catch (error) {
        if (error instanceof ApiError) {
          throw new Error(`${path} cannot be read: ${error.detail}; only --from-server reads these settings`);
        }
        if (sqlCodeOf(error) === undefined) throw error;
        throw new Error(`${path} cannot be read: ${(error as Error).message}`);
      }
    },
  };
}

async function* subjectsIn(db: Database, masters: MasterKeys): AsyncGenerator<readonly StoredSubject[]> {
  if (!hasSubjects(db)) return;
  yield* subjectParts((after) => subjectsAfter(db, after, masters));
}
