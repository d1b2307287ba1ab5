import { UsageError } from "../../config/config_error.ts";
import type { BackupSettings } from "../../config/load.ts";
import { openForChecking } from "../../store/sqlite/connection/connection.ts";
import type { Database } from "../../store/sqlite/connection/database.ts";
import { checkDatabaseFile, StoreFileError } from "../../store/sqlite/data_directory/database_file.ts";
import { readState } from "../../store/sqlite/tables/identity.ts";
import { hasSubjects } from "../../store/sqlite/tables/subjects.ts";
import { checkHistory, Unreadable } from "../history/check_history.ts";
import { SealedCheck } from "../history/sealed_check.ts";
import { SignalGate } from "../history/signal_gate.ts";
import { backupPath, chooseBackups } from "../directory/backup_files.ts";
import { lockBackups } from "../directory/backup_lock.ts";
import { countEvents } from "../reports/count_events.ts";
import { compareWithSource } from "../source/compare_with_source.ts";
import { Source } from "../source/source.ts";
import { type ForgottenKeys, forgottenPath, readForgottenOf } from "../subjects/forgotten_list.ts";
import { type KeysFile, readKeysFile } from "../subjects/keys_file.ts";
import type { VerbContext, VerbEnd } from "./verb_context.ts";

/** The running source with its store ID, or why it did not report one. */
type Comparison =
  | { readonly source: Source; readonly storeId: string; readonly failure?: never }
  | { readonly source: Source; readonly storeId?: never; readonly failure: string };

interface Report {
  readonly storeId: string;
  /** undefined when the file cannot be read. */
  readonly events: number | undefined;
  readonly isCompared: boolean;
  /** The events with encrypted payloads. */
  readonly sealed: SealedCheck;
  readonly problems: readonly string[];
}

/**
 * Checks backups, and prints one line each.
 * @param settings the source to compare with; given with --against-source only
 */
export async function verify(
  context: VerbContext,
  { storeId: wanted, all, json, keys: keysPath }: {
    storeId: string | undefined;
    all: boolean;
    json: boolean;
    keys: string | undefined;
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
  using _lock = lockBackups(dataDir);
  using source = settings && new Source(settings, context.stopped);
  const comparison = source && await comparisonWith(source, context);
  let isFine = true;
  for (const storeId of storeIds) {
    const report = await verifyBackup(context, storeId, comparison, keys);
    context.print(json ? jsonLine(report) : textLine(report, source?.name));
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
): Promise<Report> {
  const path = backupPath(context.dataDir, storeId);
  let db: Database;
  try {
    checkDatabaseFile(path);
    db = openForChecking(path);
  } catch (error) {
    const { message } = error as Error;
    const problem = error instanceof StoreFileError ? message : `cannot be read: ${message}`;
    const sealed = new SealedCheck();
    return { storeId, events: undefined, isCompared: false, sealed, problems: [problem] };
  }
  using _closing = db;
  const list = forgottenList(db, context.dataDir, storeId);
  const sealed = sealedCheck(keys?.storeId === storeId ? keys : undefined, list.forgotten);
  const problems = await problemsOf(db, storeId, context, sealed);
  problems.push(...list.problems);
  const compared = await compare(context, db, storeId, comparison);
  problems.push(...compared.problems);
  return { storeId, events: eventsOf(db, problems), isCompared: compared.isCompared, sealed, problems };
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
  return new SealedCheck(keys && new Map(keys.keys.map(({ id, bytes }) => [id, bytes])), forgotten);
}

async function problemsOf(
  db: Database,
  storeId: string,
  { stopped }: VerbContext,
  sealed: SealedCheck,
): Promise<string[]> {
  try {
    return await checkHistory(db, storeId, new SignalGate(stopped), sealed);
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
): Promise<Pick<Report, "isCompared" | "problems">> {
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

function notCompared(reason: string): Pick<Report, "isCompared" | "problems"> {
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

function textLine(
  { storeId, events, isCompared, sealed, problems }: Report,
  source: string | undefined,
): string {
  if (problems.length > 0) return `${storeId}: not ok: ${problems.join("; ")}\n`;
  const compared = isCompared
    ? `equal to those of ${source}`
    : "not compared, the source holds another store";
  // Without problems, the events were counted.
  const counted = `${countEvents(events!)}${sealedText(sealed)}`;
  return `${storeId}: ok, ${counted}${source === undefined ? "" : `, ${compared}`}\n`;
}

function sealedText({ isOpening, sealed, opened, forgotten, lacking }: SealedCheck): string {
  if (sealed === 0) return "";
  const kinds = `${opened} decrypted, ${forgotten} forgotten, ${lacking} without a key`;
  return `, ${sealed} encrypted${isOpening ? ` (${kinds})` : ""}`;
}

/** Backups without encrypted payloads have the fields that they always had. */
function jsonLine({ storeId, events, isCompared, sealed, problems }: Report): string {
  const state = { storeId, ok: problems.length === 0, events: events ?? null };
  const { sealed: encrypted, opened: decrypted, forgotten, lacking: withoutKey } = sealed;
  const found = encrypted === 0 ? {} : { encrypted };
  const kinds = sealed.isOpening ? { decrypted, forgotten, withoutKey } : {};
  return `${JSON.stringify({ ...state, comparedWithSource: isCompared, ...found, ...kinds, problems })}\n`;
}
