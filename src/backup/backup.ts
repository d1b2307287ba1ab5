import type { BackupSettings } from "../config/load.ts";
import { BackupStore } from "../store/backup_store.ts";
import { lockBackups } from "./backup_lock.ts";
import { checkLastEvent, copyEvents } from "./copy_events.ts";
import { earlierStoreIds } from "./earlier_stores.ts";
import { HashChain } from "./hash_chain.ts";
import { writeMetricsFile } from "./metrics_file.ts";
import { ProgressLine } from "./progress_line.ts";
import { type Run, summaryJson, summaryLine } from "./run_summary.ts";
import { Source } from "./source.ts";
import { targetPath } from "./targets.ts";
import type { VerbCall, VerbEnd } from "./verb_call.ts";

/** Copies what is new in the source into its backup, and says in one line what came of it. */
export async function backup(call: VerbCall, settings: BackupSettings): VerbEnd {
  const { quiet, json, metricsFile } = call.flags;
  using source = new Source(settings, call.stopped);
  const run = newRun(source);
  const startedAt = performance.now();
  await noteFailure(call, run, () => runBackup(call, source, run));
  run.durationSeconds = Math.round(performance.now() - startedAt) / 1000;
  if (metricsFile !== undefined) await noteFailure(call, run, () => writeMetricsFile(metricsFile, run));
  if (quiet) return run.error === undefined;
  if (json) call.print(summaryJson(run));
  else if (run.error === undefined) call.print(summaryLine(run));
  return run.error === undefined;
}

/** Prints what goes wrong, and keeps the first of it. */
async function noteFailure(call: VerbCall, run: Run, work: () => void | Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const { message } = error as Error;
    call.printError(message);
    run.error ??= message;
  }
}

function newRun(source: Source): Run {
  return {
    source: source.name,
    startedAtMilliseconds: Date.now(),
    durationSeconds: 0,
    error: undefined,
    storeId: undefined,
    file: undefined,
    created: false,
    eventsCopied: 0,
    lastSequence: undefined,
    earlierStoreIds: [],
  };
}

async function runBackup(call: VerbCall, source: Source, run: Run): Promise<void> {
  using _lock = lockBackups(call.dataDir);
  const storeId = await source.identify();
  const file = targetPath(call.dataDir, storeId);
  run.storeId = storeId;
  run.file = file;
  run.earlierStoreIds = earlierStoreIds(call.dataDir, storeId, source.name);
  const store = await BackupStore.open(file, { storeId, source: source.name, chain: new HashChain().value });
  run.created = store.opened.created;
  try {
    await checkLastEvent(source, storeId, store);
    using progress = await progressLine(call, source, store.opened.head);
    await copyEvents(source, storeId, store, (sequence) => progress?.show(sequence));
  } catch (error) {
    // What went wrong first is what counts.
    await store.close().catch(() => {});
    throw error;
  } finally {
    run.lastSequence = store.durableHead;
    run.eventsCopied = store.durableHead - store.opened.head;
  }
  await store.close();
}

/** Nobody but a person at a terminal watches. */
async function progressLine(
  call: VerbCall,
  source: Source,
  first: number,
): Promise<ProgressLine | undefined> {
  if (call.flags.quiet || !Deno.stderr.isTerminal()) return undefined;
  const encoder = new TextEncoder();
  return await ProgressLine.open(source, (text) => void Deno.stderr.writeSync(encoder.encode(text)), first);
}
