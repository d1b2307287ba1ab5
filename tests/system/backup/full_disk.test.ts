import assert from "node:assert/strict";
import { join } from "node:path";
import { isThere } from "../../../src/files/is_there.ts";
import { makeBackup, placeWithoutSource, sampleEvents } from "../../backup/made_backup.ts";
import { assertFailed, BackupDirectories, runJson } from "../../backup/run_backup.ts";
import { sourceLines, storedLines } from "../../backup/stored_lines.ts";
import { runInit } from "../../cli/run_init.ts";
import { namesIn } from "../../support/directory.ts";
import type { Ended } from "../../support/run_command.ts";
import { startServer } from "../../support/server_process.ts";
import { smallDiskTest } from "../support/small_disk.ts";

const EVENT = { type: "t", identifiers: { a: "b" }, payload: "x".repeat(50_000) };
const FULL = /No space left|disk is full/;

/** Large events, as a source serves them. */
const largeEvents = (count: number): ReturnType<typeof sampleEvents> =>
  Array.from({ length: count }, () => ({ ...sampleEvents(1)[0]!, payload: "x".repeat(60_000) }));

function runVerb(place: BackupDirectories, ...args: string[]): Promise<Ended> {
  return place.run({ args });
}

/** Asserts that restore printed a store ID. */
function assertRestored({ code, stdout, stderr }: Ended): void {
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(
    stdout,
    /^store [0-9a-f-]{36}, with the (first \d+ of the )?\d+ events of store [0-9a-f-]{36}$/m,
  );
}

smallDiskTest(
  "on a full disk a run fails and keeps whole pages; with space again the next run continues",
  async (disk) => {
    await using server = await startServer();
    const client = server.client();
    await client.append(...Array.from({ length: 100 }, () => EVENT));
    using place = new BackupDirectories(server.address);
    const dataDir = join(disk.path, "backup");
    const env = { SERVICE_BACKUP_DATA_DIR: dataDir, SERVICE_BACKUP_PAGE_LIMIT: "5" };
    const file = join(dataDir, `${await client.storeId()}.db`);
    const expected = await sourceLines(client);

    // The run ends where the space ends: in the first page, after some pages, or in the last checkpoint.
    for (const freeBytes of [0, 300_000, 3_000_000, 7_000_000]) {
      disk.fill(freeBytes);
      const { ok, error } = await runJson(place, env);
      assert.equal(ok, false, `${freeBytes} bytes are too few`);
      assert.match(error!, FULL, String(freeBytes));
      const kept = storedLines(file);
      assert.deepEqual(kept, expected.slice(0, kept.length));
      assert.equal(kept.length % 5, 0);
      disk.free();
    }
    assert.equal((await runJson(place, env)).ok, true);
    assert.deepEqual(storedLines(file), expected);
  },
);

smallDiskTest(
  "on a full disk restore fails and leaves nothing behind, and a database that is there stays",
  async (disk) => {
    using place = placeWithoutSource();
    makeBackup(place, largeEvents(60));
    const runs = [
      [100_000, []],
      [3_000_000, []],
      [3_000_000, ["--force"]],
      [100_000, ["--until", "59"]],
      [3_000_000, ["--until", "59", "--force"]],
    ] as const;
    for (const [freeBytes, args] of runs) {
      const isReplacing = args.some((arg) => arg === "--force");
      const dataDir = join(disk.path, `data ${freeBytes} ${args.length}`);
      const path = join(dataDir, "events.db");
      Deno.mkdirSync(dataDir);
      if (isReplacing) Deno.writeTextFileSync(path, "the old one");
      disk.fill(freeBytes);
      assertFailed(
        await runVerb(place, "restore", "--to", dataDir, ...args),
        1,
        /No space left|disk is full/,
      );
      assert.deepEqual(namesIn(dataDir), isReplacing ? ["events.db", "events.lock"] : ["events.lock"]);
      if (isReplacing) assert.equal(Deno.readTextFileSync(path), "the old one");
      disk.free();
      assertRestored(await runVerb(place, "restore", "--to", dataDir, ...args));
      Deno.removeSync(dataDir, { recursive: true });
    }
  },
);

smallDiskTest(
  "verify, list, restore and export work from a read-only file system",
  async (disk) => {
    using place = placeWithoutSource();
    const storeId = makeBackup(place, sampleEvents(3));
    Deno.copyFileSync(place.file(storeId), join(disk.path, `${storeId}.db`));
    const remount = new Deno.Command("mount", { args: ["-o", "remount,ro", disk.path] });
    assert.ok((await remount.output()).success);
    const env = { SERVICE_BACKUP_DATA_DIR: disk.path };
    for (
      const args of [["verify"], ["list"], ["export"], ["restore", "--to", "a", "--dry-run"], [
        "restore",
        "--to",
        "a",
      ], ["restore", "--to", "b", "--until", "2"]]
    ) {
      const { code, stderr } = await place.run({ args, env });
      assert.deepEqual([code, stderr], [0, ""], args.join(" "));
    }
  },
);

smallDiskTest("on a full disk export fails, and the file that was there stays", async (disk) => {
  using place = placeWithoutSource();
  makeBackup(
    place,
    largeEvents(40),
  );
  const path = join(disk.path, "events.ndjson");
  Deno.writeTextFileSync(path, "the old one");
  disk.fill(1_000_000);
  assertFailed(await runVerb(place, "export", "--output", path), 1, FULL);
  assert.equal(Deno.readTextFileSync(path), "the old one");
  assert.deepEqual(namesIn(disk.path), ["events.ndjson", "filler"]);
});

smallDiskTest("on a full disk the imports of init fail and leave nothing behind", async (disk) => {
  using place = placeWithoutSource();
  makeBackup(place, largeEvents(60));
  await place.run({ args: ["export", "--output", "events.ndjson"] });
  Deno.writeTextFileSync(join(place.directory, "plain.ndjson"), `${JSON.stringify(EVENT)}\n`.repeat(100));
  const dataDir = join(disk.path, "data");
  const importEvents = (...args: string[]): Promise<Ended> =>
    runInit(place.directory, [...args, "--data-dir", dataDir]);
  const runs = [50_000, 2_000_000, 5_000_000].map((freeBytes) =>
    [freeBytes, "--import", "events.ndjson"] as const
  );
  for (const [freeBytes, ...args] of [...runs, [2_000_000, "--import-plain", "plain.ndjson"] as const]) {
    disk.fill(freeBytes);
    const { code, stderr } = await importEvents(...args);
    assert.equal(code, 1, stderr);
    assert.match(stderr, /^eventstore-init: [^\n]*(No space left|disk is full)[^\n]*\n$/, "one line");
    if (isThere(dataDir)) assert.deepEqual(namesIn(dataDir), ["events.lock"]);
    disk.free();
  }
  assert.equal((await importEvents("--import", "events.ndjson")).code, 0);
});
