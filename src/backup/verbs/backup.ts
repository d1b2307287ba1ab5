import { openForChecking } from "../../store/sqlite/connection/connection.ts";
import { checkDatabaseFile } from "../../store/sqlite/data_directory/database_file.ts";
import { readOrigin } from "../../store/sqlite/tables/origin.ts";
import type { BlockTree, TreeBlocks } from "../../model/block_tree.ts";
import type { BackupSettings } from "../../config/load.ts";
import { BackupStore } from "../../store/sqlite/backup/backup_store.ts";
import { backedUpStoreIds, backupPath } from "../directory/backup_files.ts";
import { lockBackups } from "../directory/backup_lock.ts";
import { SignalGate } from "../history/signal_gate.ts";
import { treeOfChained } from "../history/upgrade_backup.ts";
import { countEvents } from "../reports/count_events.ts";
import { writeMetricsFile } from "../reports/metrics_file.ts";
import { findHead, ProgressLine } from "../reports/progress_line.ts";
import { Run, summaryJson, summaryLine } from "../reports/run_summary.ts";
import { assertSameRoot } from "../source/compare_root.ts";
import { checkLastEvent, copyEvents } from "../source/copy_events.ts";
import { Source } from "../source/source.ts";
import { updateForgottenList } from "../subjects/forgotten_list.ts";
import type { VerbContext, VerbEnd } from "./verb_context.ts";

/** Copies the new events of the source into its backup, and reports the outcome in one line. */
export async function backup(
  context: VerbContext,
  { quiet, json, metricsFile }: { quiet: boolean; json: boolean; metricsFile: string | undefined },
  settings: BackupSettings,
): VerbEnd {
  using source = new Source(settings, context.stopped);
  const run = new Run(source.name);
  const startedAt = performance.now();
  await noteFailure(context, run, () => runBackup(context, { quiet, json }, source, run));
  run.durationSeconds = Math.round(performance.now() - startedAt) / 1000;
  if (metricsFile !== undefined) await noteFailure(context, run, () => writeMetricsFile(metricsFile, run));
  if (quiet) return run.error === null;
  if (json) context.print(summaryJson(run));
  else if (run.error === null) context.print(`eventstore-backup: ${summaryLine(run)}\n`);
  return run.error === null;
}

/** Prints every failure, and records the first. */
async function noteFailure(
  context: VerbContext,
  run: Run,
  work: () => void | Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const { message } = error as Error;
    context.printError(message);
    run.error ??= message;
  }
}

async function runBackup(
  context: VerbContext,
  { quiet, json }: { quiet: boolean; json: boolean },
  source: Source,
  run: Run,
): Promise<void> {
  const { dataDir } = context;
  using _lock = lockBackups(dataDir);
  const storeId = await source.identify();
  const file = backupPath(dataDir, storeId);
  run.storeId = storeId;
  run.file = file;
  run.earlierStoreIds = earlierStoreIds(dataDir, storeId, source.name);
  const { name, hasSubjects } = source;
  // Also before the events: a run may be stopped while it copies them.
  if (hasSubjects) await updateForgottenList(source, storeId, dataDir);
  const upgrade = await upgradeOf(context, quiet, source, { storeId, file });
  const store = await BackupStore.open(file, { storeId, source: name }, hasSubjects, upgrade);
  if (upgrade !== undefined && !quiet && !json) context.print(upgradeLine(file, store.opened.head));
  run.created = store.opened.created;
  let tree: BlockTree;
  try {
    await checkLastEvent(source, storeId, store);
    using progress = await progressLine(quiet, source, store.opened.head);
    tree = await copyEvents(source, storeId, store, (sequence) => progress?.show(sequence));
    // The list then has every subject that was forgotten before the last event of the backup.
    if (hasSubjects) await updateForgottenList(source, storeId, dataDir);
  } catch (error) {
    // The first failure is the one to report.
    await store.close().catch(() => {});
    throw error;
  } finally {
    run.lastSequence = store.durableHead;
    run.eventsCopied = store.durableHead - store.opened.head;
  }
  await store.close();
  await assertSameRoot(source, storeId, tree);
}

/** Returns the tree of a backup by an earlier version, which has none. */
async function upgradeOf(
  { stopped }: VerbContext,
  quiet: boolean,
  source: Source,
  { storeId, file }: { readonly storeId: string; readonly file: string },
): Promise<TreeBlocks | undefined> {
  using shown = new DisposableStack();
  let progress: ProgressLine | undefined;
  const onProgress = async (sequence: number, head: number): Promise<void> => {
    if (quiet || !Deno.stderr.isTerminal()) return;
    progress ??= shown.use(new ProgressLine(source, writeError, 0, head, "checking the backup: "));
    await progress.show(sequence);
  };
  const tree = await treeOfChained(file, storeId, new SignalGate(stopped), onProgress);
  return tree?.blocksSince(0);
}

function upgradeLine(file: string, events: number): string {
  const advice = "earlier versions of this program can no longer read it";
  return `eventstore-backup: checked the hash chain of ${countEvents(events)} in ${file}, ` +
    `and replaced it by a Merkle tree; ${advice}\n`;
}

/** Only users at a terminal see it. */
async function progressLine(
  quiet: boolean,
  source: Source,
  first: number,
): Promise<ProgressLine | undefined> {
  if (quiet || !Deno.stderr.isTerminal()) return undefined;
  return new ProgressLine(source, writeError, first, await findHead(source, first));
}

function writeError(text: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(text));
}

/** Returns the other stores in the directory whose backups were read from the same source. */
function earlierStoreIds(dataDir: string, storeId: string, source: string): string[] {
  return backedUpStoreIds(dataDir).filter((other) =>
    other !== storeId && sourceOf(backupPath(dataDir, other)) === source
  );
}

/** Returns undefined for a file that cannot be read. This run ignores it. */
function sourceOf(path: string): string | undefined {
  try {
    if (!checkDatabaseFile(path)) return undefined;
    using db = openForChecking(path);
    return readOrigin(db)?.source;
  } catch {
    return undefined;
  }
}
