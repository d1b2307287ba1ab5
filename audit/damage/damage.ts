import { join } from "node:path";
import { checkHistory } from "../../src/backup/history/check_history.ts";
import { SignalGate } from "../../src/backup/history/signal_gate.ts";
import { openForChecking } from "../../src/store/sqlite/connection/connection.ts";
import { checkDatabaseFile } from "../../src/store/sqlite/data_directory/database_file.ts";
import { scanEvents } from "../../src/store/sqlite/tables/events.ts";
import { makeBackup, placeWithoutSource, sampleEvents } from "../../tests/backup/made_backup.ts";
import { AuditFailure, type CheckContext, demand, type Figures } from "../report.ts";
import { Random } from "../workload/random.ts";

/*
 * One byte of a backup is replaced. Either `verify` reports the damage, or all events are unchanged. The files of a
 * store have no checksums of their own; docs/durability.md describes the consequences.
 */

const EVENTS = 300;

/** Error messages of the runtime for a program that did not expect its input. They do not say which file is damaged. */
const OWN_MISTAKE = /undefined|is not (a function|iterable|defined)|^Cannot /;

/** A round is one byte. */
export async function damage({ seed, extent, directory }: CheckContext): Promise<Figures> {
  const random = new Random(seed);
  using place = placeWithoutSource();
  const storeId = makeBackup(place, sampleEvents(EVENTS));
  const whole = Deno.readFileSync(place.file(storeId));
  const path = join(directory, "damaged.db");
  Deno.writeFileSync(path, whole);
  const events = eventsIn(path);
  const tally = { rounds: 0, named: 0, harmless: 0 };
  for (; !extent.isOver(tally.rounds); tally.rounds++) {
    const at = random.below(whole.length);
    const bytes = whole.slice();
    bytes[at]! ^= 1 + random.below(255);
    Deno.writeFileSync(path, bytes);
    const problems = await problemsOf(path, storeId);
    const where = `byte ${at}, ${whole[at]} to ${bytes[at]}`;
    const unclear = problems.filter((problem) => OWN_MISTAKE.test(problem));
    if (unclear.length > 0) throw new AuditFailure(where, unclear);
    if (problems.length > 0) tally.named++;
    else if (eventsIn(path) === events) tally.harmless++;
    else throw new AuditFailure(where, ["verify finds nothing, and events differ"]);
    for (const end of ["", "-wal", "-shm", "-journal"]) removeIfThere(path + end);
  }
  demand("damage", tally.rounds, {
    named: [tally.named, tally.rounds / 4],
    harmless: [tally.harmless, tally.rounds / 20],
  });
  return tally;
}

/** The problems that `eventstore-backup verify` reports. */
async function problemsOf(path: string, storeId: string): Promise<readonly string[]> {
  try {
    checkDatabaseFile(path);
    using db = openForChecking(path);
    return await checkHistory(db, storeId, new SignalGate(new AbortController().signal));
  } catch (error) {
    return [(error as Error).message];
  }
}

function eventsIn(path: string): string {
  using db = openForChecking(path);
  return JSON.stringify(scanEvents(db, { after: 0, upTo: Number.MAX_SAFE_INTEGER }, 10_000_000));
}

function removeIfThere(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
