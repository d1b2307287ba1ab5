import { delay } from "../../src/async/delay.ts";
import assert from "node:assert/strict";
import { join } from "node:path";
import { lockBackups } from "../../src/backup/directory/backup_lock.ts";
import { checkHistory } from "../../src/backup/history/check_history.ts";
import { SignalGate } from "../../src/backup/history/signal_gate.ts";
import { openForChecking } from "../../src/store/sqlite/connection/connection.ts";
import { change, makeBackup, overwrite, placeWithoutSource, sampleEvents } from "./made_backup.ts";
import { assertFailed, okLine, verify } from "./run_backup.ts";

const EVENTS = 30;
const EVENT = sampleEvents(EVENTS);

/** Every file below a directory with its bytes. */
function bytesIn(directory: string): [string, Uint8Array][] {
  return [...Deno.readDirSync(directory)].map(({ name }): [string, Uint8Array] => [
    name,
    Deno.readFileSync(join(directory, name)),
  ]).filter(([name]) => name !== "backup.lock").sort(([a], [b]) => a < b ? -1 : 1);
}

Deno.test("verify says of each backup that it is whole, and changes nothing", async () => {
  using place = placeWithoutSource();
  const [first, second] = [makeBackup(place, EVENT), makeBackup(place, [])].toSorted();
  const before = bytesIn(place.dataDir);
  for (const args of [[], ["--all"]]) {
    const { code, stdout, stderr } = await verify(place, ...args);
    assert.deepEqual([code, stderr], [0, ""]);
    const lines = stdout.split("\n");
    assert.match(lines[0]!, new RegExp(`^${first}: ok, (30|0) events; root [0-9a-f]{64}@\\1$`));
    assert.match(lines[1]!, new RegExp(`^${second}: ok, (30|0) events; root [0-9a-f]{64}@\\1$`));
    assert.equal(lines.length, 3);
  }
  const { stdout } = await verify(place, second!, "--json");
  const { root, ...json } = JSON.parse(stdout) as { root: string; events: number };
  const events = json.events;
  assert.deepEqual(json, { storeId: second, ok: true, events, comparedWithSource: false, problems: [] });
  assert.match(root, /^[0-9a-f]{64}$/);
  assert.deepEqual(bytesIn(place.dataDir), before);
});

Deno.test("a backup from before there were views is whole, and a store that is restored from it has them", async () => {
  using place = placeWithoutSource();
  const storeId = makeBackup(place, EVENT);
  change(place.file(storeId), (db) => db.script("DROP VIEW events; DROP VIEW event_tags"));
  const before = bytesIn(place.dataDir);
  const verified = await verify(place);
  assert.deepEqual([verified.code, verified.stderr], [0, ""]);
  assert.match(verified.stdout, okLine(storeId, 30));
  const { code, stderr } = await place.run({ args: ["restore", "--to", "restored"] });
  assert.deepEqual([code, stderr], [0, ""]);
  assert.deepEqual(bytesIn(place.dataDir), before);
  using db = openForChecking(join(place.directory, "restored/events.db"));
  assert.deepEqual(db.all("SELECT count(*) FROM events"), [[EVENTS]]);
});

Deno.test("verify names a file that is damaged, empty, foreign or of another version", async () => {
  using place = placeWithoutSource();
  const damages: [RegExp, (file: string) => void][] = [
    [/the Merkle tree differs/, (file) => overwrite(file, "payload 23.", "payload 32.")],
    [/event 23 is damaged/, (file) => overwrite(file, 'payload 23."', "payload 23.\n")],
    [/not ok: cannot be read: |malformed/, (file) => damagePages(file)],
    [/not ok: (the tag index differs from event \d+$|.*malformed)/, (file) => changeTerm(file)],
    [/is damaged: it has \d+ of \d+ bytes/, (file) => Deno.truncateSync(file, 20_000)],
    [/is empty \(zero bytes\)/, (file) => Deno.truncateSync(file)],
    [
      /is not an SQLite database, or is damaged/,
      (file) => overwrite(file, "SQLite format 3", "SQLite-Format-3"),
    ],
    [/belongs to another program/, (file) => change(file, (db) => db.all("PRAGMA application_id = 7"))],
    [/has schema version 1, but/, (file) => change(file, (db) => db.all("PRAGMA user_version = 1"))],
  ];
  const storeIds = damages.map(([, damage]) => {
    const storeId = makeBackup(place, EVENT);
    damage(place.file(storeId));
    return storeId;
  });
  const before = bytesIn(place.dataDir);
  const { code, stdout, stderr } = await verify(place);
  assert.deepEqual([code, stderr], [1, ""]);
  const lines = stdout.trimEnd().split("\n");
  for (const [i, [expected]] of damages.entries()) {
    const line = lines.find((line) => line.startsWith(`${storeIds[i]}: not ok: `));
    assert.match(line ?? "", expected);
  }
  const cut = await verify(place, storeIds[4]!, "--json");
  const { problems, ...rest } = JSON.parse(cut.stdout);
  assert.deepEqual(rest, {
    storeId: storeIds[4],
    ok: false,
    events: null,
    root: null,
    comparedWithSource: false,
  });
  assert.match(problems.join("\n"), /^\/.+\/backup\/.*\.db is damaged: it has 20000 of \d+ bytes$/);
  assert.equal(cut.code, 1);
  assert.deepEqual(bytesIn(place.dataDir), before, "and leaves it as it is");
});

/** The middle of every page from the third on. */
function damagePages(file: string): void {
  const bytes = Deno.readFileSync(file);
  for (let page = 2; page * 4096 < bytes.length; page++) bytes.fill(0xa5, page * 4096, page * 4096 + 200);
  Deno.writeFileSync(file, bytes);
}

/** One digit of the first term of the tag index. */
function changeTerm(file: string): void {
  const found = /[0-9a-f]{25,32}/.exec(new TextDecoder("latin1").decode(Deno.readFileSync(file)))![0];
  overwrite(file, found, found.replace(/.$/, (digit) => digit === "0" ? "1" : "0"));
}

Deno.test("verify finds every byte of an event that was changed in the file", async () => {
  using place = placeWithoutSource();
  const storeId = makeBackup(place, sampleEvents(3));
  const whole = Deno.readFileSync(place.file(storeId));
  const latin1 = new TextDecoder("latin1").decode(whole);
  const [start, end] = [latin1.indexOf('"type":"type 1"'), latin1.indexOf("payload 2.") + 10];
  assert.ok(start > 0 && end - start > 60 && end - start < 200);
  const ids: string[] = [];
  for (let at = start; at < end; at += 5) {
    const changed = whole.slice();
    changed[at]! ^= 1;
    ids.push(crypto.randomUUID());
    Deno.writeFileSync(place.file(ids.at(-1)!), changed);
    change(place.file(ids.at(-1)!), (db) => db.run("UPDATE origin SET store_id = ?", ids.at(-1)!));
  }
  const { stdout } = await verify(place);
  for (const id of ids) assert.match(stdout, new RegExp(`^${id}: not ok: `, "m"));
  assert.match(stdout, new RegExp(`^${storeId}: ok, 3 events; root [0-9a-f]{64}@3$`, "m"));
});

Deno.test("events that a killed run left in the WAL belong to the backup", async () => {
  using place = placeWithoutSource();
  const storeId = makeBackup(place, EVENT);
  const killed = crypto.randomUUID();
  change(place.file(storeId), (db) => {
    db.all("PRAGMA journal_mode = WAL");
    db.run("UPDATE origin SET store_id = ?", killed);
    for (const end of ["", "-wal"]) Deno.copyFileSync(place.file(storeId) + end, place.file(killed) + end);
    db.run("UPDATE origin SET store_id = ?", storeId);
  });
  assert.ok(Deno.statSync(`${place.file(killed)}-wal`).size > 0);
  const { code, stdout } = await verify(place, killed);
  assert.equal(code, 0);
  assert.match(stdout, okLine(killed, 30));
});

Deno.test("verify rejects a store ID that is none or unknown, and a directory without backups", async () => {
  using place = placeWithoutSource();
  assertFailed(await verify(place), 1, /there is no backup in \/.*\/backup$/m);
  assertFailed(await verify(place, "notanid"), 2, /"notanid" is not a store ID/);
  assert.throws(() => Deno.statSync(place.dataDir), Deno.errors.NotFound, "and makes no directory");
  const storeId = makeBackup(place, EVENT);
  assertFailed(await verify(place, "../x"), 2, /"\.\.\/x" is not a store ID/);
  assertFailed(await verify(place, crypto.randomUUID()), 1, /there is no backup of store /);
  assertFailed(await verify(place, storeId, "--all"), 2, /--all and a store ID cannot be given together/);
});

Deno.test("while another run holds the lock, verify, restore and export reject and name it, and list works", async () => {
  using place = placeWithoutSource();
  const storeId = makeBackup(place, EVENT);
  using _lock = lockBackups(place.dataDir);
  for (const args of [["verify"], ["restore", "--to", "data"], ["export"]]) {
    assertFailed(
      await place.run({ args, isProcess: true }),
      1,
      new RegExp(`in use by another run: process ${Deno.pid} on `),
    );
  }
  assert.deepEqual([...Deno.readDirSync(place.directory)].map(({ name }) => name), ["backup"]);
  assert.match((await place.run({ args: ["list"] })).stdout, new RegExp(`^${storeId} +30 `, "m"));
});

Deno.test("a stop during SQLite's check of the file ends the check after it, whatever SQLite found", async () => {
  using place = placeWithoutSource();
  const storeId = makeBackup(place, EVENT);
  change(place.file(storeId), (db) => db.script("CREATE TABLE mine (a)"));
  const stop = new AbortController();
  const gate = new SignalGate(stop.signal);
  // As if the check had taken so long.
  await delay(150);
  stop.abort(new Error("enough"));
  const db = openForChecking(place.file(storeId));
  try {
    await assert.rejects(checkHistory(db, storeId, gate), /^Error: enough$/);
  } finally {
    db.close();
  }
});
