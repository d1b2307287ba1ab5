import { isThere, refuseIrregular } from "../../files/is_there.ts";
import { openForChecking, openForWriting } from "../../store/sqlite/connection/connection.ts";
import { lockDataDirectory, makeDataDirectory } from "../../store/sqlite/data_directory/data_directory.ts";
import type { Database } from "../../store/sqlite/connection/database.ts";
import { checkDatabaseFile, storePaths } from "../../store/sqlite/data_directory/database_file.ts";
import { readState } from "../../store/sqlite/tables/identity.ts";
import { NewDatabaseFile } from "../../store/sqlite/data_directory/new_database_file.ts";
import { startOwnHistory } from "../../store/sqlite/backup/own_history.ts";
import { removePauseFile } from "../../store/pause_file.ts";
import { JOURNAL_ENDS, prepareReplacement } from "../../store/sqlite/data_directory/replace_database.ts";
import { checkHistory } from "../history/check_history.ts";
import { SignalGate } from "../history/signal_gate.ts";
import { backupPath } from "../places/backup_files.ts";
import { lockBackups } from "../places/backup_lock.ts";
import { countEvents } from "../reports/count_events.ts";
import { chooseBackup } from "./choose_backups.ts";
import type { VerbContext, VerbEnd } from "./verb_context.ts";

const WHAT_IT_MEANS = `This is a new history, separate from the one that was copied:
- Positions that readers saved are void. Readers see the new store ID and start again from the beginning.
- Projections are not part of a backup. They must be rebuilt from the events.
`;

/** Creates a data directory, `to`, from a backup. */
export async function restore(
  context: VerbContext,
  { storeId: wanted, to, dryRun, force }: {
    storeId: string | undefined;
    to: string;
    dryRun: boolean;
    force: boolean;
  },
): VerbEnd {
  const storeId = chooseBackup(context.dataDir, wanted);
  const backup = backupPath(context.dataDir, storeId);
  const { database, lock } = storePaths(to);
  using _backups = lockBackups(context.dataDir);
  checkDatabaseFile(backup);
  if (!dryRun) makeDataDirectory(to);
  using _server = !dryRun || isThere(lock) ? lockDataDirectory(to) : undefined;
  const isReplaced = replacesDatabase(database, force);
  const check = async (db: Database): Promise<string> => {
    const faults = await checkHistory(db, storeId, new SignalGate(context.stopped));
    if (faults.length > 0) {
      throw new Error(`${backup} is damaged, nothing was restored: ${faults.join("; ")}`);
    }
    return `${countEvents(readState(db).head)} of store ${storeId}`;
  };
  if (dryRun) {
    using db = openForChecking(backup);
    const copied = await check(db);
    const replacing = isReplaced ? ", replacing the existing database" : "";
    context.print(`would create ${database} with the ${copied}${replacing}; nothing was changed\n`);
    return true;
  }
  if (isReplaced) prepareReplacement(database);
  using file = new NewDatabaseFile(database);
  await copyDatabase(backup, file.temporary, context.stopped);
  const { copied, restoredId } = await startHistory(file.temporary, check);
  file.keep();
  // It was the old database that was paused.
  await removePauseFile(to);
  context.print(`${database}\nstore ${restoredId}, with the ${copied}\n${WHAT_IT_MEANS}`);
  return true;
}

/**
 * Whether there is a database that will be replaced.
 * @throws Error when one exists and must not be replaced
 */
function replacesDatabase(path: string, mayReplace: boolean): boolean {
  refuseIrregular(path);
  const exists = ["", ...JOURNAL_ENDS].some((end) => isThere(path + end));
  if (exists && !mayReplace) throw new Error(`${path} already exists; --force replaces it`);
  return exists;
}

/** Copies a database that nobody has open, including what a killed backup may have left beside it. */
async function copyDatabase(from: string, to: string, stopped: AbortSignal): Promise<void> {
  // Of a link, SQLite keeps them beside its end.
  const real = await Deno.realPath(from);
  for (const end of ["", ...JOURNAL_ENDS].filter((end) => isThere(real + end))) {
    try {
      const source = await Deno.open(real + end);
      const copy = await Deno.open(to + end, { write: true, create: true, mode: 0o600 });
      await source.readable.pipeTo(copy.writable, { signal: stopped });
    } catch (error) {
      stopped.throwIfAborted();
      throw new Error(`${from + end} cannot be copied to ${to + end}: ${(error as Error).message}`);
    }
  }
}

/** Turns the copy of a backup into a store, once it has been checked. */
async function startHistory(
  path: string,
  check: (db: Database) => Promise<string>,
): Promise<{ copied: string; restoredId: string }> {
  using db = openForWriting(path);
  return { copied: await check(db), restoredId: startOwnHistory(db) };
}
