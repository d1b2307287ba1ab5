import { join } from "node:path";
import { openForChecking } from "../../src/store/sqlite/connection/connection.ts";
import { type ServerProcess, spawnServer, startServer } from "../../tests/support/server_process.ts";
import type { SmallDisk } from "../../tests/system/support/small_disk.ts";
import { AuditFailure, type CheckContext, demand, type Figures } from "../report.ts";
import { faultsOfDatabase } from "../history/read_files.ts";
import { HistoryRecorder } from "../history/record.ts";
import { Random } from "../workload/random.ts";
import { Crowd } from "./crowd.ts";
import {
  canMakeReadOnly,
  largestFile,
  limitFileSize,
  makeReadOnly,
  mountExt4,
  mountTmpfs,
  repair,
} from "./capacities.ts";

/*
 * A disk becomes full under load, has space again, and becomes full again. Or a file may not grow any more, or a file
 * system becomes read-only. Writes are rejected with a clear error, reads continue, and writing resumes. Where possible
 * it resumes by itself; otherwise the server says why it ends, and writing resumes with the next start.
 */

const KINDS = ["tmpfs", "ext4", "read-only", "size limit"] as const;
type Kind = (typeof KINDS)[number];

/** The number of times a disk becomes full in one round. */
const CYCLES = 2;

const ENOUGH_REJECTED = 5;
const ENOUGH_DONE = 10;

type Tally = Record<Kind | "rounds" | "acknowledged" | "rejected" | "reads" | "endedByItself", number>;

export async function diskRounds(context: CheckContext): Promise<Figures> {
  const random = new Random(context.seed);
  const kinds = await kindsHere(context.directory);
  const tally: Tally = {
    rounds: 0,
    tmpfs: 0,
    ext4: 0,
    "read-only": 0,
    "size limit": 0,
    acknowledged: 0,
    rejected: 0,
    reads: 0,
    endedByItself: 0,
  };
  for (; !context.extent.isOver(tally.rounds); tally.rounds++) {
    const kind = kinds[tally.rounds % kinds.length]!;
    const directory = join(context.directory, `round_${tally.rounds}`);
    Deno.mkdirSync(directory);
    await round(context, kind, directory, random.fork(), tally);
    tally[kind]++;
    Deno.removeSync(directory, { recursive: true });
  }
  demand("disks", tally.rounds, {
    acknowledged: [tally.acknowledged, tally.rounds * ENOUGH_DONE],
    rejected: [tally.rejected, (tally.tmpfs + tally.ext4) * CYCLES * ENOUGH_REJECTED],
    reads: [tally.reads, (tally.tmpfs + tally.ext4) * CYCLES],
    "servers that ended by themselves": [tally.endedByItself, tally["size limit"]],
  });
  return tally;
}

/** Returns the kinds that this machine supports. Prints a message when some are missing. */
async function kindsHere(directory: string): Promise<readonly Kind[]> {
  const image = join(directory, "image");
  using disk = await mountExt4(image);
  if (disk === undefined) return without("no file system may be mounted here", "tmpfs", "ext4", "read-only");
  Deno.removeSync(image);
  return await canMakeReadOnly(disk) ? KINDS : without("no error of ext4 may be triggered here", "read-only");
}

function without(reason: string, ...kinds: readonly Kind[]): readonly Kind[] {
  const left = KINDS.filter((kind) => !kinds.includes(kind));
  Deno.stdout.writeSync(new TextEncoder().encode(`${reason}: only ${left.join(", ")} is tried\n`));
  return left;
}

async function round(
  { edition }: CheckContext,
  kind: Kind,
  directory: string,
  random: Random,
  tally: Tally,
): Promise<void> {
  const image = join(directory, "image");
  using disk = kind === "size limit" ? undefined : kind === "tmpfs" ? mountTmpfs() : await mountExt4(image);
  if (disk === undefined && kind !== "size limit") throw new Error("no file system can be mounted any more");
  const dataDir = join(disk?.path ?? directory, "data");
  const env = { SERVICE_EDITION: edition, SERVICE_DEV_MODE: "true", SERVICE_DATA_DIR: dataDir };
  using recorder = new HistoryRecorder(join(directory, "witness.jsonl"), 0);
  const options = { directory, listen: "unix", listenOnly: true, env } as const;
  await using server = await startServer(options);
  const storeId = /, store ([0-9a-f-]+) /.exec(server.stdout)![1]!;
  const crowd = new Crowd(edition, server, recorder, random.fork());
  try {
    await crowd.await("done", ENOUGH_DONE, "before anything fails");
    if (kind === "size limit") await meetLimit(server, dataDir, tally);
    else if (kind === "read-only") await meetReadOnly(server, crowd, disk!, image, options, tally);
    else await fillAndFree(server, crowd, disk!, random, tally);
  } finally {
    await crowd.leave();
  }
  await crowd.judge(server, storeId, `${kind}: the store after it`);
  await server.restart();
  await crowd.judge(server, storeId, `${kind}: the store after another start`);
  await server.stop();
  using db = openForChecking(join(dataDir, "events.db"));
  const faults = faultsOfDatabase(db);
  if (faults.length > 0) throw new AuditFailure(`${kind}: the file after it`, faults);
  tally.acknowledged += crowd.count("done");
  tally.rejected += crowd.count("rejected");
}

/** Writes are rejected while the disk is full, reads continue, and the same server writes again once there is space. */
async function fillAndFree(
  server: ServerProcess,
  crowd: Crowd,
  disk: SmallDisk,
  random: Random,
  tally: Tally,
): Promise<void> {
  for (let cycle = 1; cycle <= CYCLES; cycle++) {
    disk.fill(random.pick([0, 50_000, 500_000]));
    await crowd.await("failed", ENOUGH_REJECTED, `cycle ${cycle}, the disk is full`);
    await crowd.read(server, `cycle ${cycle}, reads while the disk is full`);
    tally.reads++;
    disk.free();
    await crowd.await("done", ENOUGH_DONE, `cycle ${cycle}, the disk has room again`);
  }
}

/** SQLite reports a file that may not grow as an I/O error: the server says so and ends, and nothing is lost. */
async function meetLimit(server: ServerProcess, dataDir: string, tally: Tally): Promise<void> {
  await limitFileSize(server.pid, largestFile(dataDir) + 20_000);
  await endedByItself(server, "no file may grow any more");
  tally.endedByItself++;
  await server.start();
}

async function meetReadOnly(
  server: ServerProcess,
  crowd: Crowd,
  disk: SmallDisk,
  image: string,
  options: Parameters<typeof spawnServer>[0],
  tally: Tally,
): Promise<void> {
  const since = crowd.entries;
  await makeReadOnly(disk);
  await endedByItself(server, "the file system is read-only");
  crowd.distrust(since);
  tally.endedByItself++;
  {
    await using second = spawnServer(options);
    const { code, stderr } = await second.ended(ENDS_SECONDS);
    if (code !== 1 || !/^eventstore-server: [^\n]*read-only[^\n]*\n$/i.test(stderr)) {
      throw new AuditFailure("a start on a file system that is read-only", [`exit code ${code}: ${stderr}`]);
    }
  }
  await repair(disk, image);
  await server.start();
}

const ENDS_SECONDS = 120;

/** @throws AuditFailure unless the server ends by itself, and its last line says why */
async function endedByItself(server: ServerProcess, where: string): Promise<void> {
  const { code, stderr } = await server.ended(ENDS_SECONDS);
  const said = /^eventstore-server: the store has failed and the server must be restarted: .+$/m.test(stderr);
  if (code !== 1 || !said) throw new AuditFailure(where, [`exit code ${code}: ${stderr.slice(-1000)}`]);
}
