import { UsageError } from "../../config/config_error.ts";
import { parseTimestamp } from "../../model/timestamp.ts";
import { safeMicros } from "../../wire/moment.ts";
import { isThere, rejectIrregular } from "../../files/is_there.ts";
import { openForChecking, openForWriting } from "../../store/sqlite/connection/connection.ts";
import { lockDataDirectory, makeDataDirectory } from "../../store/sqlite/data_directory/data_directory.ts";
import type { Database } from "../../store/sqlite/connection/database.ts";
import { checkDatabaseFile, storePaths } from "../../store/sqlite/data_directory/database_file.ts";
import { readState } from "../../store/sqlite/tables/identity.ts";
import { readOrigin } from "../../store/sqlite/tables/origin.ts";
import { NewDatabaseFile } from "../../store/sqlite/data_directory/new_database_file.ts";
import { startOwnHistory } from "../../store/sqlite/backup/own_history.ts";
import { removePauseFile } from "../../store/core/pause_file.ts";
import { JOURNAL_ENDS, prepareReplacement } from "../../store/sqlite/data_directory/replace_database.ts";
import { checkHistory, Unreadable } from "../history/check_history.ts";
import { lastBefore } from "../history/last_before.ts";
import { copyFirstEvents } from "../history/copy_first_events.ts";
import { SealedCheck } from "../history/sealed_check.ts";
import { SignalGate } from "../history/signal_gate.ts";
import { backupPath, chooseBackup } from "../directory/backup_files.ts";
import { lockBackups } from "../directory/backup_lock.ts";
import {
  assertKeysChosen,
  keyCheckOf,
  type KeyOptions,
  rejectBothChoices,
  type RestoredSubjects,
  storedSubjects,
  subjectsOfBackup,
  subjectsText,
} from "../subjects/restored_subjects.ts";
import { countEvents } from "../reports/count_events.ts";
import type { VerbContext, VerbEnd } from "./verb_context.ts";

const WHAT_IT_MEANS = `This is a new history, separate from the one that was copied:
- Positions that readers saved are void. Readers see the new store ID and start again from the beginning.
- Projections are not part of a backup. They must be rebuilt from the events.
`;

interface RestoreOptions extends KeyOptions {
  readonly storeId: string | undefined;
  readonly to: string;
  readonly until: string | undefined;
  readonly dryRun: boolean;
  readonly force: boolean;
}

/**
 * Creates a data directory, `to`, from a backup or from its first events. The keys of subjects come from a file of their
 * own, without those that were forgotten.
 */
export async function restore(
  context: VerbContext,
  { storeId: wanted, to, until: untilText, dryRun, force, ...keyOptions }: RestoreOptions,
): VerbEnd {
  rejectBothChoices(keyOptions);
  const end = untilText === undefined ? undefined : endFrom(untilText);
  const storeId = chooseBackup(context.dataDir, wanted);
  const path = backupPath(context.dataDir, storeId);
  const { database, lock } = storePaths(to);
  using _backups = lockBackups(context.dataDir);
  checkDatabaseFile(path);
  const until = typeof end === "bigint" ? sequenceBefore(path, end, untilText!) : end;
  const subjects = subjectsOfBackup(context.dataDir, storeId, keyOptions);
  const sealed = keyCheckOf(subjects, until);
  const backup = { storeId, path, until, sealed, keyOptions };
  if (!dryRun) makeDataDirectory(to);
  using _server = !dryRun || isThere(lock) ? lockDataDirectory(to) : undefined;
  const isReplaced = replacesDatabase(database, force);
  if (dryRun) {
    using db = opened(backup.path, openForChecking);
    const copied = copiedText(backup, await check(context, backup, db));
    const replacing = isReplaced ? ", replacing the existing database" : "";
    const text = subjectsText(subjects, sealed);
    const what = `${copied}${replacing}${text === "" ? "" : `; ${text}`}`;
    context.print(`would create ${database} with the ${what}; nothing was changed\n`);
    return true;
  }
  if (isReplaced) prepareReplacement(database);
  using file = new NewDatabaseFile(database);
  const copied = until === undefined
    ? await copyWhole(context, backup, file.temporary)
    : await copyPart(context, backup, until, file.temporary);
  const restoredId = finish(file, subjects);
  // The pause belonged to the old database.
  await removePauseFile(to);
  const lines = [database, `store ${restoredId}, with the ${copied}`, subjectsText(subjects, sealed)];
  context.print(`${lines.filter((line) => line !== "").join("\n")}\n${WHAT_IT_MEANS}`);
  return true;
}

/** The backup to restore, and the sequence of the last event to restore. */
interface Wanted {
  readonly storeId: string;
  readonly path: string;
  readonly until: number | undefined;
  /** Counts the events that will be unreadable. */
  readonly sealed: SealedCheck;
  readonly keyOptions: KeyOptions;
}

/** Parses a sequence, or a time in microseconds since 1970. @throws UsageError */
function endFrom(text: string): number | bigint {
  const sequence = /^[1-9][0-9]*$/.test(text) ? Number(text) : NaN;
  if (Number.isSafeInteger(sequence)) return sequence;
  const micros = parseTimestamp(text);
  if (micros !== undefined) return micros;
  throw new UsageError([
    `--until must be the sequence of an event, or a time such as 2026-11-20T19:07:36Z, not ${
      JSON.stringify(text)
    }`,
  ]);
}

/** @throws Error when no event is before the time */
function sequenceBefore(path: string, micros: bigint, text: string): number {
  using db = opened(path, openForChecking);
  const sequence = lastBefore(db, safeMicros(micros));
  if (sequence === 0) throw new Error(`${path} has no event before ${text}`);
  return sequence;
}

/**
 * Checks a backup, or a copy of it, completely.
 * @returns how many events it has
 * @throws Error when it is damaged, ends before the wanted event, or needs keys that were not given
 */
async function check(
  { stopped }: VerbContext,
  { storeId, path, until = 0, sealed, keyOptions }: Wanted,
  db: Database,
): Promise<number> {
  const faults = await checkHistory(db, storeId, new SignalGate(stopped), sealed).catch((error) => {
    if (!(error instanceof Unreadable)) throw error;
    throw new Error(`${path} cannot be read, nothing was restored: ${error.message}`);
  });
  if (faults.length > 0) throw new Error(`${path} is damaged, nothing was restored: ${faults.join("; ")}`);
  if (sealed.sealed > 0) {
    assertKeysChosen(`${path} has encrypted payloads, nothing was restored`, keyOptions);
  }
  const { head } = readState(db);
  if (until > head) {
    throw new Error(`${path} has no event ${until}, nothing was restored: it ends with event ${head}`);
  }
  return head;
}

function copiedText({ storeId, until }: Wanted, head: number): string {
  const first = until === undefined ? "" : `first ${until} of the `;
  return `${first}${countEvents(head)} of store ${storeId}`;
}

/** @returns what was copied, in words */
async function copyWhole(context: VerbContext, backup: Wanted, to: string): Promise<string> {
  await copyDatabase(backup.path, to, context.stopped);
  using db = opened(to, openForWriting);
  return copiedText(backup, await check(context, backup, db));
}

/** Copies event by event, and checks the result like a backup. @returns what was copied, in words */
async function copyPart(context: VerbContext, backup: Wanted, until: number, to: string): Promise<string> {
  using from = opened(backup.path, openForChecking);
  const copied = copiedText(backup, await check(context, backup, from));
  try {
    await copyFirstEvents(from, readOrigin(from)!, until, to, new SignalGate(context.stopped));
  } catch (error) {
    context.stopped.throwIfAborted();
    throw new Error(`${backup.path} cannot be copied to ${to}: ${(error as Error).message}`);
  }
  using db = opened(to, openForWriting);
  await check(context, { ...backup, path: to, sealed: new SealedCheck() }, db);
  return copied;
}

/**
 * True when there is a database that will be replaced.
 * @throws Error when one exists and must not be replaced
 */
function replacesDatabase(path: string, mayReplace: boolean): boolean {
  rejectIrregular(path);
  const exists = ["", ...JOURNAL_ENDS].some((end) => isThere(path + end));
  if (exists && !mayReplace) throw new Error(`${path} already exists; --force replaces it`);
  return exists;
}

/** Copies a database that no process has open, including the journal files of a killed backup next to it. */
async function copyDatabase(from: string, to: string, stopped: AbortSignal): Promise<void> {
  // For a link, SQLite stores the journal files next to its target.
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

/** Turns the copy of a backup into a store, and gives the file its final name. @returns its store ID */
function finish(file: NewDatabaseFile, subjects: RestoredSubjects): string {
  try {
    const storeId = startHistory(file.temporary, subjects);
    file.keep();
    return storeId;
  } catch (error) {
    throw new Error(`${file.path} cannot be created: ${(error as Error).message}`);
  }
}

function startHistory(path: string, subjects: RestoredSubjects): string {
  using db = openForWriting(path);
  return startOwnHistory(db, storedSubjects(subjects));
}

/** @throws Error that names the database */
function opened(path: string, open: (path: string) => Database): Database {
  try {
    return open(path);
  } catch (error) {
    throw new Error(`${path} cannot be opened: ${(error as Error).message}`);
  }
}
