import { openForChecking, openForWriting } from "../store/connection.ts";
import { lockDataDirectory, makeDataDirectory } from "../store/data_directory.ts";
import type { Database } from "../store/database.ts";
import { checkDatabaseFile, storePaths } from "../store/database_file.ts";
import { readState } from "../store/identity.ts";
import { isThere, refuseIrregular } from "../store/is_there.ts";
import { NewDatabaseFile } from "../store/new_database_file.ts";
import { startOwnHistory } from "../store/own_history.ts";
import { removePauseFile } from "../store/pause_file.ts";
import { JOURNAL_ENDS, prepareReplacement } from "../store/replace_database.ts";
import { lockBackups } from "./backup_lock.ts";
import { checkHistory } from "./check_history.ts";
import { chooseTarget } from "./choose_targets.ts";
import { countEvents } from "./count_events.ts";
import { SignalGate } from "./signal_gate.ts";
import { targetPath } from "./targets.ts";
import type { VerbCall, VerbEnd } from "./verb_call.ts";

const WHAT_IT_MEANS = `This is a history of its own, which goes on apart from the one that was copied:
- Positions that readers kept are void. They see the new store ID and start again from the beginning.
- Projections are not part of a backup. They have to be rebuilt from the events.
`;

/** What is restored, and where to. */
interface Plan {
  readonly storeId: string;
  /** The backup's file. */
  readonly source: string;
  readonly dataDir: string;
  /** The database to make. */
  readonly path: string;
}

/** Makes a data directory from a backup. */
export async function restore(call: VerbCall): VerbEnd {
  const storeId = chooseTarget(call);
  const dataDir = call.flags.to!;
  const plan = {
    storeId,
    source: targetPath(call.dataDir, storeId),
    dataDir,
    path: storePaths(dataDir).database,
  };
  using _backups = lockBackups(call.dataDir);
  checkDatabaseFile(plan.source);
  if (call.flags.dryRun) {
    await rehearse(call, plan);
    return true;
  }
  makeDataDirectory(dataDir);
  using _server = lockDataDirectory(dataDir);
  if (replacesDatabase(call, plan)) prepareReplacement(plan.path);
  const { events, restoredId } = await makeDatabase(call, plan);
  // It was the old database that was paused.
  await removePauseFile(dataDir);
  const copied = `${countEvents(events)} of store ${storeId}`;
  call.print(`${plan.path}\nstore ${restoredId}, with the ${copied}\n${WHAT_IT_MEANS}`);
  return true;
}

/**
 * Whether there is a database that will be replaced.
 * @throws Error when there is one and it may not be replaced
 */
function replacesDatabase({ flags }: VerbCall, { path }: Plan): boolean {
  refuseIrregular(path);
  const isThereAlready = ["", ...JOURNAL_ENDS].some((end) => isThere(path + end));
  if (isThereAlready && !flags.force) throw new Error(`${path} exists already; --force replaces it`);
  return isThereAlready;
}

/** Checks what can be checked without changing anything. */
async function rehearse(call: VerbCall, plan: Plan): Promise<void> {
  const { storeId, source, dataDir, path } = plan;
  using _server = isThere(storePaths(dataDir).lock) ? lockDataDirectory(dataDir) : undefined;
  const isReplaced = replacesDatabase(call, plan);
  const db = openForChecking(source);
  try {
    const copied = `${countEvents(await checkedEvents(call, db, plan))} of store ${storeId}`;
    const replacing = isReplaced ? ", in place of the database that is there" : "";
    call.print(`would make ${path} with the ${copied}${replacing}; nothing was changed\n`);
  } finally {
    db.close();
  }
}

async function makeDatabase(call: VerbCall, plan: Plan): Promise<{ events: number; restoredId: string }> {
  using file = new NewDatabaseFile(plan.path);
  await copyDatabase(plan.source, file.temporary, call.stopped);
  const db = openForWriting(file.temporary);
  let made: { events: number; restoredId: string };
  try {
    const events = await checkedEvents(call, db, plan);
    made = { events, restoredId: startOwnHistory(db) };
  } finally {
    db.close();
  }
  file.keep();
  return made;
}

/** Copies a database that nobody has open, with what a killed backup may have left beside it. */
async function copyDatabase(source: string, target: string, stopped: AbortSignal): Promise<void> {
  for (const end of ["", ...JOURNAL_ENDS].filter((end) => isThere(source + end))) {
    try {
      const from = await Deno.open(source + end);
      const to = await Deno.open(target + end, { write: true, create: true, mode: 0o600 });
      await from.readable.pipeTo(to.writable, { signal: stopped });
    } catch (error) {
      stopped.throwIfAborted();
      throw new Error(`${source + end} can't be copied to ${target + end}: ${(error as Error).message}`);
    }
  }
}

/**
 * How many events a database holds, once it is checked.
 * @throws Error when it is damaged
 */
async function checkedEvents(call: VerbCall, db: Database, { storeId, source }: Plan): Promise<number> {
  const faults = await checkHistory(db, storeId, new SignalGate(call.stopped));
  if (faults.length > 0) throw new Error(`${source} is damaged, nothing was restored: ${faults.join("; ")}`);
  return readState(db).head;
}
