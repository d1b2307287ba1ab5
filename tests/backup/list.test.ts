import assert from "node:assert/strict";
import { join } from "node:path";
import { lockBackups } from "../../src/backup/directory/backup_lock.ts";
import { openForWriting } from "../../src/store/sqlite/connection/connection.ts";
import { checkDatabaseFile } from "../../src/store/sqlite/data_directory/database_file.ts";
import { startServer } from "../support/server_process.ts";
import { makeBackup, placeWithoutSource, sampleEvents } from "./made_backup.ts";
import { FakeSource, rightPage, STORE } from "./fake_source.ts";
import { BackupDirectories, event, runJson } from "./run_backup.ts";

Deno.test("list shows each backup with source, count, times and size, the newest last", async () => {
  using place = placeWithoutSource();
  const empty = makeBackup(place, []);
  const newer = makeBackup(place, sampleEvents(70));
  const older = makeBackup(place, sampleEvents(3));
  const { code, stdout, stderr } = await place.run({ args: ["list"] });
  assert.deepEqual([code, stderr], [0, ""]);
  const [head, ...rows] = stdout.trimEnd().split("\n").map((line) => line.split(/ {2,}/));
  assert.deepEqual(head, ["STORE", "EVENTS", "FIRST", "LAST", "SIZE", "SOURCE"]);
  const first = "2023-11-14T22:13:21Z";
  assert.deepEqual(rows.map((row) => row.toSpliced(4, 1)), [
    [empty, "0", "-", "-", "http://source"],
    [older, "3", first, "2023-11-14T22:13:23Z", "http://source"],
    [newer, "70", first, "2023-11-14T22:14:30Z", "http://source"],
  ]);
  for (const row of rows) assert.match(row[4]!, /^\d+\.\d KiB$/);
});

Deno.test("list --json says the same to programs, in full", async () => {
  await using server = await startServer();
  const client = server.client();
  await client.append(event("1"), event("2"));
  const { events: [last] } = await client.append(event("3"));
  using place = new BackupDirectories(server.address);
  assert.equal((await place.run()).code, 0);
  const storeId = await client.storeId();
  const [first] = await client.allEvents();
  const { stdout } = await place.run({ args: ["list", "--json"] });
  assert.deepEqual(stdout.trimEnd().split("\n").map((line) => JSON.parse(line)), [{
    storeId,
    source: Object.values(place.source)[0],
    events: 3,
    firstTime: first!.time,
    lastTime: last!.time,
    bytes: Deno.statSync(place.file(storeId)).size,
    problem: null,
  }]);
});

Deno.test("list names a file that it cannot read, shows the others and exits with 1", async () => {
  using place = placeWithoutSource();
  const whole = makeBackup(place, sampleEvents(3));
  const damaged = crypto.randomUUID();
  Deno.writeTextFileSync(place.file(damaged), "no database");
  Deno.writeTextFileSync(`${place.dataDir}/notes.db`, "not one of ours, and not looked at");
  const { code, stdout, stderr } = await place.run({ args: ["list"] });
  assert.equal(code, 1);
  assert.match(stdout, new RegExp(`^${damaged} +unreadable +- +- +11 B +-$`, "m"));
  assert.match(stdout, new RegExp(`^${whole} +3 `, "m"));
  assert.equal(
    stderr,
    `eventstore-backup: ${place.file(damaged)} is not an SQLite database, or is damaged\n`,
  );
  assert.equal(stdout.includes("notes"), false);
});

Deno.test("without backups list says so, makes nothing and exits with 0", async () => {
  using place = placeWithoutSource();
  assert.deepEqual(await place.run({ args: ["list"] }), {
    code: 0,
    stdout: `no backup in ${place.dataDir}\n`,
    stderr: "",
  });
  assert.equal((await place.run({ args: ["list", "--json"] })).stdout, "");
  assert.deepEqual([...Deno.readDirSync(place.directory)], []);
});

Deno.test("list blocks no backup that is running, and the other way round", async () => {
  const runs = Deno.env.get("EVENTSTORE_LONG_TESTS") === "1" ? 100 : 8;
  let head = 0;
  await using source = new FakeSource((request) => rightPage(request, head));
  using place = new BackupDirectories(source.address);
  const other = makeBackup(place, sampleEvents(3));
  // So many events that list takes long.
  const bytes = Deno.readFileSync(place.file(other));
  for (let count = 0; count < 300; count++) Deno.writeFileSync(place.file(crypto.randomUUID()), bytes);
  assert.equal((await place.run({ args: ["list"] })).code, 0);
  assert.deepEqual([...Deno.readDirSync(place.dataDir)].filter(({ name }) => !name.endsWith(".db")), []);
  let isOver = false;
  const listing = (async () => {
    for (; !isOver;) {
      const { code, stderr } = await place.run({ args: ["list"], isProcess: true });
      assert.deepEqual([code, stderr], [0, ""]);
    }
  })();
  try {
    while (head < runs) assert.equal((await runJson(place)).lastSequence, head++);
  } finally {
    isOver = true;
    await listing;
  }
  assert.match((await place.run({ args: ["list"] })).stdout, new RegExp(`^${STORE} +${runs - 1} `, "m"));
});

Deno.test("list does not check whether a backup and its WAL belong together while a run may be changing them", async () => {
  using place = placeWithoutSource();
  const storeId = makeBackup(place, sampleEvents(3));
  using db = openForWriting(place.file(storeId));
  db.script("CREATE TABLE filler AS SELECT zeroblob(100000)");
  db.script("DROP TABLE filler");
  db.all("PRAGMA wal_checkpoint(TRUNCATE)");
  // For a moment a WAL may look like the WAL of a smaller database, as this one does.
  db.all("VACUUM");
  assert.throws(() => checkDatabaseFile(place.file(storeId)), /do not belong together/);
  const { code, stdout, stderr } = await place.run({ args: ["list"] });
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, new RegExp(`^${storeId} +3 `, "m"));
});

Deno.test("a rejected run names the holder of the lock, even if the file held a longer name before", () => {
  using place = placeWithoutSource();
  Deno.mkdirSync(place.dataDir);
  const path = join(place.dataDir, "backup.lock");
  Deno.writeTextFileSync(path, `${"an earlier holder ".repeat(20)}\n`);
  {
    using _lock = lockBackups(place.dataDir);
    assert.match(Deno.readTextFileSync(path), new RegExp(`^{"pid":${Deno.pid},[^\\n]+}\\n$`));
    // The state of the file between the two steps of a holder.
    Deno.writeTextFileSync(path, "older holder\n", { append: true });
    assert.throws(() => lockBackups(place.dataDir), new RegExp(`by another run: process ${Deno.pid} on `));
  }
});
