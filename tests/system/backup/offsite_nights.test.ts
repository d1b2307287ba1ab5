import assert from "node:assert/strict";
import { join } from "node:path";
import { cronCommand } from "../../backup/cron_lines.ts";
import { BackupDirectories, verify } from "../../backup/run_backup.ts";
import { sourceLines } from "../../backup/stored_lines.ts";
import { isThere } from "../../../src/files/is_there.ts";
import { pageBlock, replacePart } from "../../support/page_block.ts";
import { startServer } from "../../support/server_process.ts";
import { pythonDebianTest } from "../support/python_tools.ts";
import { Offsite } from "./offsite_place.ts";

/*
 * The commands of docs/offsite.md and docs/restore.md for restic, with the real one of Debian 12 or later, against a
 * server that speaks S3: a month of nights.
 */

const CRON = "# /etc/cron.d/eventstore-offsite";
const RESTORE = "# On a new machine, with the variables of offsite.env:";
const RETENTION = "# With the variables of offsite.env:";

/** All nights are in one month, so that the retention by months keeps none of its own. */
const MONTH = "2026-03";
const NIGHTS = 31;
const DAYS_KEPT = 30;

/** The store before the first night. */
const EVENTS_AT_FIRST = 500;
const BYTES_AT_FIRST = 40_000;
const EVENTS_A_DAY = 30;
const BYTES_A_DAY = 2000;

/** The largest piece that restic makes, before compression. A night sends the last piece again. */
const PIECE_BYTES_MAX = 8 * 1024 * 1024;

/** Indexes, the snapshot, locks, and the heads of the requests. */
const OVERHEAD_BYTES_MAX = 100_000;

function dayOf(night: number): string {
  return `${MONTH}-${String(night).padStart(2, "0")}`;
}

let eventsMade = 0;

/** Events whose text can be compressed to half of its size. */
function newEvents(count: number, bytes: number): unknown[] {
  return Array.from({ length: count }, () => {
    const n = String(++eventsMade);
    const payload = crypto.getRandomValues(new Uint8Array(bytes / 2)).toHex();
    return { type: "OrderPlaced", identifiers: { order: n }, payload };
  });
}

await pythonDebianTest(
  ["restic"],
  "30 nights send only what is new to an S3-compatible place, and the last and an earlier one are there",
  async ({ restic }) => {
    await using server = await startServer();
    const client = server.client();
    using place = new BackupDirectories(server.address);
    await using offsite = await Offsite.start(place, restic);
    const line = cronCommand(pageBlock("offsite.md", CRON));
    assert.equal(line.user, "root");

    const failed = await offsite.runCron(line.command, dayOf(1));
    assert.equal(failed.code, 1, "there is no backup yet");
    assert.match(failed.stderr, /^eventstore-backup: [^\n]+\n$/);
    assert.deepEqual(await offsite.snapshots(), []);

    for (let i = 0; i < EVENTS_AT_FIRST; i += 100) {
      await client.append(...newEvents(100, BYTES_AT_FIRST));
    }
    const sent: number[] = [];
    const heads: number[] = [];
    for (let night = 1; night <= NIGHTS; night++) {
      if (night > 1) await client.append(...newEvents(EVENTS_A_DAY, BYTES_A_DAY));
      heads.push(eventsMade);
      assert.equal((await place.run()).code, 0);
      const before = offsite.bytesSent;
      const { code, stdout, stderr } = await offsite.runCron(line.command, dayOf(night));
      assert.deepEqual([code, stdout, stderr], [0, "", ""], `night ${night}`);
      sent.push(offsite.bytesSent - before);
    }
    await offsite.runWell(pageBlock("offsite.md", RETENTION));
    const [first, ...increments] = sent;
    const compressed = EVENTS_AT_FIRST * BYTES_AT_FIRST / 2;
    assert.ok(first! > compressed, `the first night sends everything: ${first}`);
    const bytesMax = PIECE_BYTES_MAX / 2 + EVENTS_A_DAY * BYTES_A_DAY + OVERHEAD_BYTES_MAX;
    assert.ok(bytesMax < first! / 2);
    assert.ok(Math.max(...increments) < bytesMax, `the others send what is new: ${increments}`);
    assert.ok(increments.at(-1)! > EVENTS_A_DAY * BYTES_A_DAY / 2, `and all of it: ${increments}`);
    const snapshots = await offsite.snapshots();
    const kept = Array.from({ length: DAYS_KEPT }, (_, i) => dayOf(NIGHTS - DAYS_KEPT + 1 + i));
    assert.deepEqual(snapshots.map(({ time }) => time.slice(0, "2026-03-01".length)), kept);

    const lines = await sourceLines(client);
    await restoredIs(place, offsite, lines);
    const earlier = 16;
    const { id } = snapshots.find(({ time }) => time.startsWith(dayOf(earlier)))!;
    const dumped = await offsite.runWell(`restic dump ${id} events.ndjson`);
    const [trailer, ...rest] = dumped.split(/(?<=\n)/).reverse();
    assert.deepEqual(rest.reverse(), lines.slice(0, heads[earlier - 1]));
    assert.ok(trailer!.startsWith(`{"complete":true,"events":${heads[earlier - 1]},`), trailer);

    const cut = replacePart(pageBlock("restore.md", RESTORE), " | ", " | head --bytes 9000000 | ");
    const { code, stderr } = await offsite.run(cut);
    assert.equal(code, 1, stderr);
    assert.match(stderr, /standard input was not imported/);
    assert.ok(!isThere(join(place.directory, "restored", "events.db")), "a copy that was cut short");
  },
);

/** Restores as the page says. A server on the result serves these lines, and a backup of it is right. */
async function restoredIs(
  { directory }: BackupDirectories,
  offsite: Offsite,
  lines: readonly string[],
): Promise<void> {
  const { code, stderr } = await offsite.run(pageBlock("restore.md", RESTORE));
  assert.equal(code, 0, stderr);
  const dataDir = join(directory, "restored");
  {
    await using copy = await startServer({ env: { SERVICE_DATA_DIR: dataDir } });
    assert.deepEqual(await sourceLines(copy.client()), lines);
    using place = new BackupDirectories(copy.address);
    assert.equal((await place.run()).code, 0);
    const verified = await verify(place, "--against-source");
    assert.equal(verified.code, 0, verified.stdout + verified.stderr);
    assert.ok(verified.stdout.includes(`: ok, ${lines.length} events, equal to those of `), verified.stdout);
  }
  await Deno.remove(dataDir, { recursive: true });
}
