import { join } from "node:path";
import { openForChecking } from "../../src/store/sqlite/connection/connection.ts";
import { storePaths } from "../../src/store/sqlite/data_directory/database_file.ts";
import { pause } from "../../tests/support/eventually.ts";
import { type ServerProcess, spawnServer } from "../../tests/support/server_process.ts";
import { AuditFailure, type CheckContext, type Figures } from "../report.ts";
import { isListening } from "../server/is_listening.ts";
import { copyDirectory, EVENTS_LEFT, makeAbandonedDirectory } from "../server/abandoned_directory.ts";
import { readDatabase } from "../history/read_files.ts";
import { Random } from "../workload/random.ts";

/*
 * Servers that start at the same time in one directory. Exactly one stays and serves the events that were there. Each
 * of the others ends with one line and exit code 1. The directory is empty, or was left by a server that stopped or was
 * killed. So the racers also compete for the work of a first start or a recovery.
 */

const RACERS = 8;
/** Starting all these processes at once takes time on a busy machine. */
const TIMEOUT_SECONDS = 120;
/** The longest time between two starts. */
const STAGGER_MILLISECONDS = 400;

const BASES = ["empty", "stopped", "killed"] as const;
type Base = typeof BASES[number];

/** A round is one race. */
export async function races({ edition, seed, extent, directory }: CheckContext): Promise<Figures> {
  const random = new Random(seed);
  Deno.mkdirSync(join(directory, "empty"));
  for (const left of ["stopped", "killed"] as const) {
    await makeAbandonedDirectory(join(directory, left), left);
  }
  const tally = { rounds: 0, rejected: 0, empty: 0, stopped: 0, killed: 0 };
  for (; !extent.isOver(tally.rounds); tally.rounds++) {
    const base = BASES[tally.rounds % BASES.length]!;
    const place = join(directory, "place");
    await copyDirectory(join(directory, base), place);
    tally.rejected += await race(place, base, edition, random.chance(0.5) ? random.fork() : undefined);
    tally[base]++;
    Deno.removeSync(place, { recursive: true });
  }
  return tally;
}

/** @param stagger undefined: all start at once @returns the number of rejected starts */
async function race(
  place: string,
  base: Base,
  edition: string,
  stagger: Random | undefined,
): Promise<number> {
  const where = `a race of ${RACERS} servers, ${base}`;
  await using racers = new AsyncDisposableStack();
  const all = await Promise.all(Array.from({ length: RACERS }, async (_, i) => {
    await pause(stagger?.below(STAGGER_MILLISECONDS) ?? 0);
    // Each has a socket of its own, so that only the data directory is contested.
    const env = { SERVICE_EDITION: edition, SERVICE_SOCKET_PATH: join(place, `racer_${i}.sock`) };
    return racers.use(spawnServer({ directory: place, listen: "none", env }));
  }));
  const up = await Promise.all(all.map((server) => isListening(server, where, TIMEOUT_SECONDS)));
  const stay = all.filter((_, i) => up[i]);
  if (stay.length !== 1) throw new AuditFailure(where, [`${stay.length} servers have started`]);
  for (const server of all.filter((_, i) => !up[i])) {
    const { code, stderr } = await server.ended(TIMEOUT_SECONDS);
    if (code !== 1 || !/^eventstore-server: [^\n]* is in use by another process[^\n]*\n$/.test(stderr)) {
      throw new AuditFailure(where, [`exit code ${code}, standard error: ${stderr}`]);
    }
  }
  await assertUnharmed(stay[0]!, place, base, where);
  return all.length - 1;
}

/** Stops the winner as an operator does, and checks the files. @throws AuditFailure */
async function assertUnharmed(
  winner: ServerProcess,
  place: string,
  base: Base,
  where: string,
): Promise<void> {
  const { code, stderr } = await winner.stop();
  if (code !== 0) throw new AuditFailure(where, [`the winner stops with exit code ${code}`, stderr]);
  using db = openForChecking(storePaths(join(place, "data")).database);
  const { events, faults } = readDatabase(db);
  const expected = base === "empty" ? 0 : EVENTS_LEFT;
  const isWhole = events.length === expected && events.every(({ payload }, i) => payload === String(i));
  if (!isWhole) throw new AuditFailure(where, [`${events.length} of ${expected} events are there`]);
  if (faults.length > 0) throw new AuditFailure(where, faults);
}
