import { UsageError } from "../../config/config_error.ts";
import type { BackupSettings } from "../../config/load.ts";
import { openForChecking } from "../../store/sqlite/connection/connection.ts";
import type { Database } from "../../store/sqlite/connection/database.ts";
import { checkDatabaseFile, StoreFileError } from "../../store/sqlite/data_directory/database_file.ts";
import { readState } from "../../store/sqlite/tables/identity.ts";
import { hasSubjects } from "../../store/sqlite/tables/subjects.ts";
import { checkHistory, Unreadable } from "../history/check_history.ts";
import { KeptRoots } from "../history/kept_roots.ts";
import { RootsCheck } from "../history/roots_check.ts";
import { SealedCheck } from "../history/sealed_check.ts";
import { SignalGate } from "../history/signal_gate.ts";
import { backupPath, chooseBackups } from "../directory/backup_files.ts";
import { lockBackups } from "../directory/backup_lock.ts";
import { verifyJson, verifyLine, type VerifyReport } from "../reports/verify_report.ts";
import { compareWithSource } from "../source/compare_with_source.ts";
import { Source } from "../source/source.ts";
import { type ForgottenKeys, forgottenPath, readForgottenOf } from "../subjects/forgotten_list.ts";
import { type KeysFile, readKeysFile } from "../subjects/keys_file.ts";
import type { VerbContext, VerbEnd } from "./verb_context.ts";

/** The running source with its store ID, or why it did not report one. */
type Comparison =
  | { readonly source: Source; readonly storeId: string; readonly failure?: never }
  | { readonly source: Source; readonly storeId?: never; readonly failure: string };

/**
 * Checks backups, and prints one line each.
 * @param settings the source to compare with; given with --against-source only
 */
export async function verify(
  context: VerbContext,
  { storeId: wanted, all, json, keys: keysPath, witness }: {
    storeId: string | undefined;
    all: boolean;
    json: boolean;
    keys: string | undefined;
    witness: string | undefined;
  },
  settings?: BackupSettings,
): VerbEnd {
  if (all && wanted !== undefined) {
    throw new UsageError(["--all and a store ID cannot be given together"]);
  }
  const { dataDir } = context;
  const storeIds = chooseBackups(dataDir, wanted);
  const keys = keysPath === undefined ? undefined : readKeysFile(keysPath);
  if (keys !== undefined && !storeIds.includes(keys.storeId)) {
    throw new Error(`${keysPath} has the keys of store ${keys.storeId}, which is not among the backups`);
  }
  const kept = witness === undefined ? undefined : new KeptRoots(witness, storeIds);
  using _lock = lockBackups(dataDir);
  using source = settings && new Source(settings, context.stopped);
  const comparison = source && await comparisonWith(source, context);
  let isFine = true;
  for (const storeId of storeIds) {
    const roots = kept?.checkOf(storeId) ?? new RootsCheck();
    const report = await verifyBackup(context, storeId, comparison, keys, roots);
    context.print(json ? verifyJson(report) : verifyLine(report, source?.name));
    isFine &&= report.problems.length === 0;
  }
  const heldId = comparison?.storeId;
  if (heldId === undefined || storeIds.includes(heldId)) return isFine;
  const held = `${source!.name} holds store ${heldId}`;
  context.printError(`${held}, which is not among the verified backups`);
  return false;
}

async function comparisonWith(source: Source, { stopped }: VerbContext): Promise<Comparison> {
  try {
    return { source, storeId: await source.identify() };
  } catch (error) {
    if (stopped.aborted) throw error;
    return { source, failure: (error as Error).message };
  }
}

async function verifyBackup(
  context: VerbContext,
  storeId: string,
  comparison: Comparison | undefined,
  keys: KeysFile | undefined,
  roots: RootsCheck,
): Promise<VerifyReport> {
  const path = backupPath(context.dataDir, storeId);
  let db: Database;
  try {
    checkDatabaseFile(path);
    db = openForChecking(path);
  } catch (error) {
    const { message } = error as Error;
    const problem = error instanceof StoreFileError ? message : `cannot be read: ${message}`;
    const sealed = new SealedCheck();
    return { storeId, events: undefined, isCompared: false, sealed, roots, problems: [problem] };
  }
  using _closing = db;
  const list = forgottenList(db, context.dataDir, storeId);
  const sealed = sealedCheck(keys?.storeId === storeId ? keys : undefined, list.forgotten);
  const problems = await problemsOf(db, storeId, context, sealed, roots);
  problems.push(...list.problems);
  const compared = await compare(context, db, storeId, comparison);
  problems.push(...compared.problems);
  const { isCompared } = compared;
  return { storeId, events: eventsOf(db, problems), isCompared, sealed, roots, problems };
}

/** Without the list, a restore would not know whom it must not bring back. */
function forgottenList(
  db: Database,
  dataDir: string,
  storeId: string,
): { readonly forgotten: ForgottenKeys; readonly problems: readonly string[] } {
  let forgotten: ForgottenKeys | undefined;
  try {
    forgotten = readForgottenOf(dataDir, storeId);
  } catch (error) {
    return { forgotten: new Map(), problems: [(error as Error).message] };
  }
  if (forgotten !== undefined) return { forgotten, problems: [] };
  const problems = mayHaveSubjects(db) ? [`${forgottenPath(dataDir, storeId)} is missing`] : [];
  return { forgotten: new Map(), problems };
}

/** Returns false when the database cannot be read, which its check reports. */
function mayHaveSubjects(db: Database): boolean {
  try {
    return hasSubjects(db);
  } catch {
    return false;
  }
}

function sealedCheck(keys: KeysFile | undefined, forgotten: ForgottenKeys): SealedCheck {
  return new SealedCheck(keys && new Map(keys.keys.map((key) => [key.id, key])), forgotten);
}

async function problemsOf(
  db: Database,
  storeId: string,
  { stopped }: VerbContext,
  sealed: SealedCheck,
  roots: RootsCheck,
): Promise<string[]> {
  try {
    return await checkHistory(db, storeId, new SignalGate(stopped), sealed, roots);
  } catch (error) {
    if (error instanceof Unreadable) return [`cannot be read: ${error.message}`];
    throw error;
  }
}

/** If the source fails, problems found without it are still reported. */
async function compare(
  { stopped }: VerbContext,
  db: Database,
  storeId: string,
  comparison: Comparison | undefined,
): Promise<Pick<VerifyReport, "isCompared" | "problems">> {
  if (comparison?.failure !== undefined) return notCompared(comparison.failure);
  if (comparison?.storeId !== storeId) return { isCompared: false, problems: [] };
  try {
    const difference = await compareWithSource(db, comparison.source, storeId);
    return { isCompared: true, problems: difference === undefined ? [] : [difference] };
  } catch (error) {
    if (stopped.aborted) throw error;
    return notCompared((error as Error).message);
  }
}

function notCompared(reason: string): Pick<VerifyReport, "isCompared" | "problems"> {
  return { isCompared: false, problems: [`it could not be compared: ${reason}`] };
}

/** Returns the number of events, or undefined if it cannot be read. In that case `problems` is not empty. */
function eventsOf(db: Database, problems: string[]): number | undefined {
  try {
    return readState(db).head;
  } catch (error) {
    if (problems.length === 0) problems.push(`cannot be read: ${(error as Error).message}`);
    return undefined;
  }
}
