import { ConfigError } from "../config/config_error.ts";
import type { BackupSettings } from "../config/load.ts";
import { openForChecking } from "../store/connection.ts";
import type { Database } from "../store/database.ts";
import { checkDatabaseFile } from "../store/database_file.ts";
import { readState } from "../store/identity.ts";
import { lockBackups } from "./backup_lock.ts";
import { checkHistory } from "./check_history.ts";
import { chooseTargets } from "./choose_targets.ts";
import { compareWithSource } from "./compare_with_source.ts";
import { countEvents } from "./count_events.ts";
import { SignalGate } from "./signal_gate.ts";
import { Source } from "./source.ts";
import { targetPath } from "./targets.ts";
import type { VerbCall, VerbEnd } from "./verb_call.ts";

/** The running source, and the store that it holds. */
interface Comparison {
  readonly source: Source;
  readonly storeId: string;
  readonly pageLimit: number;
}

interface Report {
  readonly storeId: string;
  /** Unknown when the file can't be read. */
  readonly events: number | undefined;
  readonly isCompared: boolean;
  readonly problems: readonly string[];
}

/**
 * Checks backups, one line each.
 * @param settings what to compare with; given with --against-source only
 */
export async function verify(call: VerbCall, settings?: BackupSettings): VerbEnd {
  if (call.flags.all && call.flags.argument !== undefined) {
    throw new ConfigError(["--all and a store ID contradict each other"]);
  }
  const storeIds = chooseTargets(call);
  using _lock = lockBackups(call.dataDir);
  if (settings === undefined) return isFine(await verifyAll(call, storeIds, undefined));

  using source = new Source(settings, call.stopped);
  const storeId = await source.identify();
  const reports = await verifyAll(call, storeIds, { source, storeId, pageLimit: settings.pageLimit });
  const isThere = storeIds.includes(storeId);
  if (!isThere) {
    call.printError(`${source.name} holds store ${storeId}, which was not among the backups verified`);
  }
  return isThere && isFine(reports);
}

function isFine(reports: readonly Report[]): boolean {
  return reports.every(({ problems }) => problems.length === 0);
}

async function verifyAll(
  call: VerbCall,
  storeIds: readonly string[],
  comparison: Comparison | undefined,
): Promise<Report[]> {
  const reports: Report[] = [];
  for (const storeId of storeIds) {
    const report = await verifyTarget(call, storeId, comparison);
    call.print(call.flags.json ? jsonLine(report) : textLine(report, comparison?.source.name));
    reports.push(report);
  }
  return reports;
}

async function verifyTarget(
  call: VerbCall,
  storeId: string,
  comparison: Comparison | undefined,
): Promise<Report> {
  const path = targetPath(call.dataDir, storeId);
  let db: Database;
  try {
    checkDatabaseFile(path);
    db = openForChecking(path);
  } catch (error) {
    return { storeId, events: undefined, isCompared: false, problems: [(error as Error).message] };
  }
  try {
    const problems = await checkHistory(db, storeId, new SignalGate(call.stopped));
    const isSame = comparison?.storeId === storeId;
    const compared = isSame ? await compare(call, db, comparison) : { isCompared: false, problems: [] };
    problems.push(...compared.problems);
    return { storeId, events: eventsOf(db), isCompared: compared.isCompared, problems };
  } finally {
    db.close();
  }
}

/** A source that fails takes nothing away from what was found without it. */
async function compare(
  call: VerbCall,
  db: Database,
  { source, storeId, pageLimit }: Comparison,
): Promise<Pick<Report, "isCompared" | "problems">> {
  try {
    const difference = await compareWithSource(db, source, storeId, pageLimit);
    return { isCompared: true, problems: difference === undefined ? [] : [difference] };
  } catch (error) {
    if (call.stopped.aborted) throw error;
    return { isCompared: false, problems: [`it can't be compared: ${(error as Error).message}`] };
  }
}

/** The number of events, or undefined where a damaged file doesn't tell it. */
function eventsOf(db: Database): number | undefined {
  try {
    return readState(db).head;
  } catch {
    return undefined;
  }
}

function textLine({ storeId, events, isCompared, problems }: Report, source: string | undefined): string {
  if (problems.length > 0) return `${storeId}: not ok: ${problems.join("; ")}\n`;
  const compared = isCompared
    ? `equal to those of ${source}`
    : "not compared, the source holds another store";
  // What is in order tells its number.
  return `${storeId}: ok, ${countEvents(events!)}${source === undefined ? "" : `, ${compared}`}\n`;
}

function jsonLine({ storeId, events, isCompared, problems }: Report): string {
  const state = { storeId, ok: problems.length === 0, events: events ?? null };
  return `${JSON.stringify({ ...state, comparedWithSource: isCompared, problems })}\n`;
}
