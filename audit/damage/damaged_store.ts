import { join } from "node:path";
import { found } from "../../src/files/found.ts";
import { BackupDirectories } from "../../tests/backup/run_backup.ts";
import { Client } from "../../tests/support/client.ts";
import { NoReply } from "../../tests/support/connection.ts";
import { type ServerProcess, spawnServer, startServer } from "../../tests/support/server_process.ts";
import { AuditFailure, type CheckContext, demand, type Figures } from "../report.ts";
import { isListening } from "../server/is_listening.ts";
import { copyDirectory } from "../server/abandoned_directory.ts";
import { assertRejected, contentOf } from "../server/rejected_start.ts";
import { Random } from "../workload/random.ts";

/*
 * One byte of a store is replaced. SQLite has no checksums for its pages, so a server may serve other events than
 * clients wrote. Then `eventstore-backup verify --against-source` reports it. Whichever byte it was, a start is
 * rejected in one line, or the server answers and stops when an operator stops it.
 */

const EVENTS = 300;
const TIMEOUT_SECONDS = 20;
const EVERYTHING = "*";
const TAGGED = [{ identifiers: [{ name: "ten", value: "7" }] }];

/** The result of a read: the original events, an error, or something else. */
type Read = "right" | "failed" | "other";

/** A round is one byte. */
export async function damagedStore({ seed, extent, directory }: CheckContext): Promise<Figures> {
  const random = new Random(seed);
  const whole = await WholeStore.make(directory);
  using backup = whole.backup;
  const tally = { rounds: 0, rejected: 0, right: 0, failed: 0, named: 0, unindexed: 0 };
  for (; !extent.isOver(tally.rounds); tally.rounds++) {
    const place = join(directory, "place");
    await copyDirectory(random.pick(whole.directories), place);
    const where = changeByte(join(place, "data"), random);
    const before = await contentOf(place);
    await using server = spawnServer(optionsOf(place));
    if (await isListening(server, where, TIMEOUT_SECONDS)) {
      const [all, tagged] = await answersOf(server, whole);
      if (all === "other") await assertNamed(backup, server, where);
      tally[all === "other" ? "named" : all]++;
      if (all === "right" && tagged !== "right") tally.unindexed++;
      await assertEnds(server, where);
    } else {
      await assertRejected(server, where, place, before, TIMEOUT_SECONDS);
      tally.rejected++;
    }
    Deno.removeSync(place, { recursive: true });
  }
  demand("a damaged store", tally.rounds, {
    right: [tally.right, tally.rounds / 10],
    named: [tally.named, tally.rounds / 20],
  });
  return tally;
}

function optionsOf(directory: string) {
  return { directory, listen: "unix", listenOnly: true } as const;
}

/** The store before any damage: its files after a stop and after a kill, its backup, and its answers. */
class WholeStore {
  readonly directories: readonly string[];
  readonly backup: BackupDirectories;
  readonly all: string;
  readonly tagged: string;

  private constructor(
    directories: readonly string[],
    backup: BackupDirectories,
    all: string,
    tagged: string,
  ) {
    this.directories = directories;
    this.backup = backup;
    this.all = all;
    this.tagged = tagged;
  }

  static async make(directory: string): Promise<WholeStore> {
    const [stopped, killed] = [join(directory, "stopped"), join(directory, "killed")];
    Deno.mkdirSync(stopped);
    await using server = await startServer(optionsOf(stopped));
    for (let i = 0; i < EVENTS; i++) {
      const identifiers = { n: String(i), ten: String(i % 10) };
      await server.client().append({ type: "t", identifiers, payload: `payload ${i} `.repeat(20) });
    }
    await server.kill();
    await copyDirectory(stopped, killed);
    await server.start();
    const backup = new BackupDirectories(server.address, directory);
    const { code, stderr } = await backup.run({ isProcess: true });
    if (code !== 0) throw new Error(stderr);
    const [all, tagged] = [await page(server.client(), EVERYTHING), await page(server.client(), TAGGED)];
    await server.stop();
    return new WholeStore([stopped, killed], backup, all, tagged);
  }
}

/** Changes a byte of the database or of its log, in proportion to their sizes. @returns the position of the byte */
function changeByte(dataDir: string, random: Random): string {
  const paths = ["events.db", "events.db-wal"].map((name) => join(dataDir, name));
  const sizes = paths.map((path) => found(path)?.size ?? 0);
  let at = random.below(sizes[0]! + sizes[1]!);
  const file = at < sizes[0]! ? 0 : 1;
  if (file === 1) at -= sizes[0]!;
  using opened = Deno.openSync(paths[file]!, { read: true, write: true });
  const byte = new Uint8Array(1);
  opened.seekSync(at, Deno.SeekMode.Start);
  opened.readSync(byte);
  const before = byte[0]!;
  byte[0]! ^= 1 + random.below(255);
  opened.seekSync(at, Deno.SeekMode.Start);
  opened.writeSync(byte);
  return `byte ${at} of ${paths[file]}, ${before} to ${byte[0]}`;
}

/** Returns the page as received, or "" when the request is rejected or the answer is cut short. */
async function page(client: Client, query: unknown): Promise<string> {
  try {
    using connection = await client.begin("QUERY", "/events", { json: { query } });
    const { status, cutShort, text } = await connection.readReply("QUERY");
    return status === 200 && !cutShort ? text : "";
  } catch (error) {
    if (error instanceof NoReply || error instanceof Deno.errors.ConnectionRefused) return "";
    throw error;
  }
}

/** Requests all events, events by a tag, and a write, which may fail. */
async function answersOf(server: ServerProcess, whole: WholeStore): Promise<[all: Read, tagged: Read]> {
  // Lines with a changed byte need not fit the OpenAPI document.
  const client = new Client(server.address);
  const all = readOf(await page(client, EVERYTHING), whole.all);
  const tagged = readOf(await page(client, TAGGED), whole.tagged);
  return [all, tagged];
}

function readOf(found: string, expected: string): Read {
  if (found === "") return "failed";
  return found === expected ? "right" : "other";
}

/** @throws AuditFailure when other events are served, and the comparison with a backup finds no difference */
async function assertNamed(
  backup: BackupDirectories,
  { address }: ServerProcess,
  where: string,
): Promise<void> {
  if (address.transport !== "unix") throw new Error("the store is on a socket");
  const env = { SERVICE_BACKUP_SOURCE_SOCKET: address.path };
  const { code, stdout } = await backup.run({ args: ["verify", "--against-source"], env, isProcess: true });
  if (code === 0) throw new AuditFailure(where, ["it serves other events, and verify says", stdout.trim()]);
}

/** @throws AuditFailure when a write gets no answer, or the server does not end, or ends without a reason */
async function assertEnds(server: ServerProcess, where: string): Promise<void> {
  const written = await server.client().write({ events: [{ type: "t", payload: "" }] }).catch((error) => {
    if (!(error instanceof NoReply)) throw error;
  });
  server.signal("SIGTERM");
  const { code, stderr } = await server.ended(TIMEOUT_SECONDS);
  const saysWhy = /^eventstore-server: /m.test(stderr);
  if (code !== 0 && !(code === 1 && saysWhy)) {
    throw new AuditFailure(where, [
      `a write got ${written?.status}, and the server ended with ${code}: ${stderr}`,
    ]);
  }
}
