import assert from "node:assert/strict";
import { join } from "node:path";
import { lockBackups } from "../../src/backup/directory/backup_lock.ts";
import { checkHistory } from "../../src/backup/history/check_history.ts";
import { SignalGate } from "../../src/backup/history/signal_gate.ts";
import { openForChecking } from "../../src/store/sqlite/connection/connection.ts";
import type { Database } from "../../src/store/sqlite/connection/database.ts";
import { eventTerms } from "../../src/store/index_terms.ts";
import { startServer } from "../support/server_process.ts";
import { FakeSource, OTHER_STORE, rightPage, STORE } from "./fake_source.ts";
import { change, makeBackup, overwrite, placeWithoutSource, sampleEvents } from "./made_backup.ts";
import { oddEvents } from "./odd_events.ts";
import { assertFailed, BackupDirectories, type Ended, event } from "./run_backup.ts";

const EVENTS = 30;
const EVENT = sampleEvents(EVENTS);

/** Every file below a directory with its bytes. */
function bytesIn(directory: string): [string, Uint8Array][] {
  return [...Deno.readDirSync(directory)].map(({ name }): [string, Uint8Array] => [
    name,
    Deno.readFileSync(join(directory, name)),
  ]).filter(([name]) => name !== "backup.lock").sort(([a], [b]) => a < b ? -1 : 1);
}

function verify(place: BackupDirectories, ...args: string[]): Promise<Ended> {
  return place.run({ args: ["verify", ...args] });
}

Deno.test("verify says of each backup that it is whole, and changes nothing", async () => {
  using place = placeWithoutSource();
  const [first, second] = [makeBackup(place, EVENT), makeBackup(place, [])].toSorted();
  const before = bytesIn(place.dataDir);
  for (const args of [[], ["--all"]]) {
    const { code, stdout, stderr } = await verify(place, ...args);
    assert.deepEqual([code, stderr], [0, ""]);
    const lines = stdout.split("\n");
    assert.match(lines[0]!, new RegExp(`^${first}: ok, (30|0) events$`));
    assert.match(lines[1]!, new RegExp(`^${second}: ok, (30|0) events$`));
    assert.equal(lines.length, 3);
  }
  const { stdout } = await verify(place, second!, "--json");
  const json = JSON.parse(stdout) as { events: number };
  const events = json.events;
  assert.deepEqual(json, { storeId: second, ok: true, events, comparedWithSource: false, problems: [] });
  assert.deepEqual(bytesIn(place.dataDir), before);
});

const terms = (sequence: number): string => eventTerms(EVENT[sequence - 1]!);
const unindex = (db: Database, sequence: number, terms: string): void =>
  db.run(
    "INSERT INTO event_term (event_term, rowid, terms) VALUES ('delete', ?, ?)",
    BigInt(sequence),
    terms,
  );
const index = (db: Database, sequence: number, terms: string): void =>
  db.run("INSERT INTO event_term (rowid, terms) VALUES (?, ?)", BigInt(sequence), terms);

/** Changes to a backup with SQL, and what verify reports about each. */
const DAMAGES: readonly (readonly [name: string, damage: (db: Database) => void, expected: RegExp])[] = [
  [
    "the first event is gone",
    (db) => db.run("DELETE FROM event WHERE sequence = 1"),
    /: event 1 is missing$/,
  ],
  ["an event is gone", (db) => db.run("DELETE FROM event WHERE sequence = 17"), /: event 17 is missing$/],
  [
    "the last event is gone",
    (db) => db.run("DELETE FROM event WHERE sequence = 30"),
    /has entries for events that do not exist; .*; the hash chain differs: at least one of events 1 to 29 /,
  ],
  [
    "every event is gone",
    (db) => db.script("DELETE FROM event; INSERT INTO event_term (event_term) VALUES ('delete-all')"),
    /time index has 1 entries instead of 0; the hash chain differs/,
  ],
  [
    "there is an event 0",
    (db) => db.run("INSERT INTO event SELECT 0, time, body FROM event WHERE sequence = 1"),
    /event 0 precedes the first event/,
  ],
  [
    "an event got a far too high sequence",
    (db) => db.run("UPDATE event SET sequence = 1000000000000000 WHERE sequence = 30"),
    /event 30 is missing/,
  ],
  [
    "an event got a sequence beyond what a number can be",
    (db) => db.run("UPDATE event SET sequence = 9223372036854775807 WHERE sequence = 30"),
    /cannot be read: .*9223372036854775807/,
  ],
  [
    "a payload was changed",
    (db) => db.run("UPDATE event SET body = replace(body, 'payload 9.', 'payload 8.') WHERE sequence = 9"),
    /: the hash chain differs: at least one of events 1 to 30 is not what was copied$/,
  ],
  [
    "a tag was changed",
    (db) => db.run(`UPDATE event SET body = replace(body, '"n":"9"', '"n":"8"') WHERE sequence = 9`),
    /: the tag index differs from event 9; the hash chain differs/,
  ],
  [
    "a body is no JSON",
    (db) => db.run("UPDATE event SET body = replace(body, ',', ';') WHERE sequence = 9"),
    /: event 9 is damaged: the line is not valid JSON/,
  ],
  [
    "a body is written in another way",
    (db) => db.run(`UPDATE event SET body = replace(body, '":', '": ') WHERE sequence = 9`),
    /: event 9 is damaged: not in the form that this program writes/,
  ],
  [
    "two events changed places",
    (db) =>
      db.script(`UPDATE event SET sequence = -1 WHERE sequence = 5; UPDATE event SET sequence = 5 WHERE
        sequence = 6; UPDATE event SET sequence = 6 WHERE sequence = -1`),
    /: the tag index differs from event 5; the hash chain differs/,
  ],
  [
    "a time was changed a little",
    (db) => db.run("UPDATE event SET time = time + 1 WHERE sequence = 9"),
    /: the hash chain differs/,
  ],
  [
    "a time was changed much",
    (db) => db.run("UPDATE event SET time = 0 WHERE sequence = 9"),
    /: the time index differs from the times of events 1 to 30; the hash chain differs/,
  ],
  [
    "a time is none",
    (db) => db.run("UPDATE event SET time = 9000000000000000000 WHERE sequence = 9"),
    /cannot be read: |event 9 is damaged: /,
  ],
  [
    "the time index was changed",
    (db) => db.run("UPDATE time_block SET time_max = time_max - 1"),
    /: the time index differs from the times of events 1 to 30$/,
  ],
  ["the time index is empty", (db) => db.run("DELETE FROM time_block"), /: the time index differs/],
  [
    "the time index has other blocks",
    (db) => db.run("INSERT INTO time_block VALUES (7, 1, 2)"),
    /: the time index has 2 entries instead of 1$/,
  ],
  [
    "the tag index lost an event",
    (db) => unindex(db, 9, terms(9)),
    /: the tag index differs from event 9$/,
  ],
  [
    "the tag index lost a term that many events have",
    (db) => unindex(db, 22, terms(22).split(" ")[0]!),
    /: the tag index differs from event 22$/,
  ],
  [
    "the tag index has a term too many",
    (db) => index(db, 9, terms(1).split(" ")[1]!),
    /: the tag index differs from event 9$/,
  ],
  [
    "the tag index has a word that is no term",
    (db) => index(db, 9, "word"),
    /: the tag index holds a term that belongs to no event$/,
  ],
  [
    "the tag index has an event that does not exist",
    (db) => index(db, 31, terms(1)),
    /: the tag index has entries for events that do not exist$/,
  ],
  [
    "the tag index is empty",
    (db) => db.script("INSERT INTO event_term (event_term) VALUES ('delete-all')"),
    /: the tag index differs from event 1$/,
  ],
  [
    "the chain was changed",
    (db) => db.run("UPDATE origin SET chain = zeroblob(32)"),
    /: the hash chain differs/,
  ],
  ["the chain was cut", (db) => db.run("UPDATE origin SET chain = zeroblob(3)"), /: the hash chain differs/],
  ["the origin is gone", (db) => db.run("DELETE FROM origin"), /: the origin table does not name the store/],
  [
    "the origin is another store",
    (db) => db.run("UPDATE origin SET store_id = 'another'"),
    /: this is a backup of another store, another$/,
  ],
  ["a table is gone", (db) => db.script("DROP TABLE projection"), /: table projection is missing$/],
  ["a table is foreign", (db) => db.script("CREATE TABLE mine (a)"), /: mine does not belong here$/],
  [
    "a column is foreign",
    (db) => db.script("ALTER TABLE event ADD COLUMN mine INTEGER"),
    /: table event differs from the schema$/,
  ],
  [
    "a view was changed",
    (db) => db.script("DROP VIEW events; CREATE VIEW events AS SELECT sequence FROM event"),
    /: view events differs from the schema$/,
  ],
  ["a view is foreign", (db) => db.script("CREATE VIEW mine AS SELECT 1"), /: mine does not belong here$/],
];

Deno.test("a backup from before there were views is whole, and a store that is restored from it has them", async () => {
  using place = placeWithoutSource();
  const storeId = makeBackup(place, EVENT);
  change(place.file(storeId), (db) => db.script("DROP VIEW events; DROP VIEW event_tags"));
  const before = bytesIn(place.dataDir);
  assert.deepEqual(await verify(place), { code: 0, stdout: `${storeId}: ok, 30 events\n`, stderr: "" });
  const { code, stderr } = await place.run({ args: ["restore", "--to", "restored"] });
  assert.deepEqual([code, stderr], [0, ""]);
  assert.deepEqual(bytesIn(place.dataDir), before);
  using db = openForChecking(join(place.directory, "restored/events.db"));
  assert.deepEqual(db.all("SELECT count(*) FROM events"), [[EVENTS]]);
});

Deno.test("verify names each damage done to a row, together with the backup, and exits with 1", async () => {
  using place = placeWithoutSource();
  const whole = makeBackup(place, EVENT);
  const wrong: string[] = [];
  const storeIds = DAMAGES.map(([name, damage]) => {
    const storeId = crypto.randomUUID();
    Deno.copyFileSync(place.file(whole), place.file(storeId));
    change(place.file(storeId), (db) => db.run("UPDATE origin SET store_id = ?", storeId));
    try {
      change(place.file(storeId), damage);
    } catch (error) {
      throw new Error(`${name}: ${(error as Error).message}`);
    }
    return storeId;
  });
  const { code, stdout, stderr } = await verify(place);
  assert.deepEqual([code, stderr], [1, ""]);
  const lines = new Map(stdout.trimEnd().split("\n").map((line) => [line.slice(0, 36), line]));
  assert.equal(lines.get(whole), `${whole}: ok, 30 events`);
  for (const [i, [name, , expected]] of DAMAGES.entries()) {
    const line = lines.get(storeIds[i]!)!;
    if (!line.startsWith(`${storeIds[i]}: not ok: `) || !expected.test(line)) wrong.push(`${name}: ${line}`);
  }
  assert.deepEqual(wrong, []);
  assert.equal(lines.size, DAMAGES.length + 1);
});

Deno.test("verify names a file that is damaged, empty, foreign or of another version", async () => {
  using place = placeWithoutSource();
  const damages: [RegExp, (file: string) => void][] = [
    [/the hash chain differs/, (file) => overwrite(file, "payload 23.", "payload 32.")],
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
  assert.deepEqual(rest, { storeId: storeIds[4], ok: false, events: null, comparedWithSource: false });
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
  assert.match(stdout, new RegExp(`^${storeId}: ok, 3 events$`, "m"));
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
  assert.deepEqual([code, stdout], [0, `${killed}: ok, 30 events\n`]);
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
    assertFailed(await place.run({ args }), 1, new RegExp(`in use by another run: process ${Deno.pid} on `));
  }
  assert.deepEqual([...Deno.readDirSync(place.directory)].map(({ name }) => name), ["backup"]);
  assert.match((await place.run({ args: ["list"] })).stdout, new RegExp(`^${storeId} +30 `, "m"));
});

Deno.test("verify --against-source compares every event with the running source, and names the first that differs", async () => {
  await using server = await startServer({ env: { SERVICE_DEV_MODE: "true" } });
  const client = server.client();
  await client.append(...oddEvents, { type: "t", payload: "12" }, event("13"));
  using place = new BackupDirectories(server.address);
  assert.equal((await place.run()).code, 0);
  await client.append(event("14"));
  const storeId = await client.storeId();
  const source = Object.values(place.source)[0]!;
  const args = ["verify", "--against-source"];
  const env = { SERVICE_BACKUP_PAGE_LIMIT: "2" };

  const equal = await place.run({ args, env });
  assert.equal(equal.stdout, `${storeId}: ok, 13 events, equal to those of ${source}\n`, equal.stderr);
  change(place.file(storeId), (db) => {
    db.run(`UPDATE event SET body = replace(body, '"payload":"12"', '"payload":"21"') WHERE sequence = 12`);
  });
  const different = await place.run({ args: [...args, "--json"], env });
  const { problems, ok, comparedWithSource } = JSON.parse(different.stdout);
  assert.deepEqual([different.code, ok, comparedWithSource], [1, false, true]);
  assert.match(problems[0], /the hash chain differs/);
  assert.deepEqual(problems.slice(1), ["event 12 differs from the source"]);

  await client.reset();
  const reset = await place.run({ args, env });
  assert.equal(reset.code, 1);
  assert.match(reset.stderr, /holds store [0-9a-f-]{36}, which is not among the verified backups/);
  await server.stop();
  const away = await place.run({ args, env });
  assert.deepEqual([away.code, away.stderr], [1, ""]);
  const lines = away.stdout.trimEnd().split("\n");
  for (const line of lines) {
    assert.match(line, new RegExp(`not ok: (.+; )?it could not be compared: the source ${source}: `));
  }
});

Deno.test("while the source cannot be reached, verify still says what is wrong with a backup, and with the next one", async () => {
  using place = new BackupDirectories({ transport: "unix", path: "/nonexistent/socket" });
  makeBackup(place, EVENT, STORE);
  makeBackup(place, EVENT, OTHER_STORE);
  change(place.file(STORE), (db) => db.run("UPDATE event SET time = time + 1 WHERE sequence = 9"));
  const { code, stdout, stderr } = await verify(place, "--against-source", "--json");
  assert.deepEqual([code, stderr], [1, ""]);
  const reports = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  const away = /^it could not be compared: the source \/nonexistent\/socket: /;
  const problemsOf = (id: string): string[] => reports.find(({ storeId }) => storeId === id).problems;
  assert.match(problemsOf(STORE)[0]!, /^the hash chain differs/);
  assert.match(problemsOf(STORE)[1]!, away);
  assert.match(problemsOf(OTHER_STORE)[0]!, away);
  assert.deepEqual(reports.map(({ comparedWithSource }) => comparedWithSource), [false, false]);
});

Deno.test("a source that fails in the middle of a comparison does not hide what verify found", async () => {
  await using source = new FakeSource((request, count) =>
    count === 1 ? rightPage(request, 3) : { bytes: "", then: "close" }
  );
  using place = new BackupDirectories(source.address);
  makeBackup(place, EVENT, STORE);
  makeBackup(place, EVENT, OTHER_STORE);
  for (const storeId of [STORE, OTHER_STORE]) {
    change(place.file(storeId), (db) => db.run("UPDATE event SET time = time + 1 WHERE sequence = 9"));
  }
  const { code, stdout, stderr } = await verify(place, "--against-source", "--json");
  assert.deepEqual([code, stderr], [1, ""]);
  const [first, second] = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual([first.storeId, first.comparedWithSource, first.problems.length], [STORE, false, 2]);
  assert.match(first.problems[0], /^the hash chain differs/);
  assert.match(first.problems[1], /^it could not be compared: the source http:.*without a response$/);
  assert.deepEqual(
    [second.storeId, second.problems.length],
    [OTHER_STORE, 1],
    "the next one is checked, too",
  );
});

Deno.test("a signal ends a comparison that waits for the source", async () => {
  const asked = Promise.withResolvers<void>();
  await using source = new FakeSource((request, count) => {
    if (count === 1) return rightPage(request, 3);
    asked.resolve();
    return { bytes: "", then: "hang" };
  });
  using place = new BackupDirectories(source.address);
  makeBackup(place, EVENT, STORE);
  const child = place.spawn({ args: ["verify", "--against-source"] });
  const ending = child.output();
  await asked.promise;
  child.kill("SIGTERM");
  const { code, stdout, stderr } = await ending;
  assert.deepEqual([code, stdout.length], [1, 0]);
  assert.equal(new TextDecoder().decode(stderr), "eventstore-backup: stopped by SIGTERM\n");
});

Deno.test("a stop during SQLite's check of the file ends the check after it, whatever SQLite found", async () => {
  using place = placeWithoutSource();
  const storeId = makeBackup(place, EVENT);
  change(place.file(storeId), (db) => db.script("CREATE TABLE mine (a)"));
  const stop = new AbortController();
  const gate = new SignalGate(stop.signal);
  // As if the check had taken so long.
  await new Promise((resolve) => setTimeout(resolve, 150));
  stop.abort(new Error("enough"));
  const db = openForChecking(place.file(storeId));
  try {
    await assert.rejects(checkHistory(db, storeId, gate), /^Error: enough$/);
  } finally {
    db.close();
  }
});

Deno.test("verify --against-source names the event that the source does not have", async () => {
  await using server = await startServer();
  const client = server.client();
  await client.append(event("1"), event("2"));
  using place = new BackupDirectories(server.address);
  const storeId = await client.storeId();
  makeBackup(place, sampleEvents(1), storeId);
  const first = await place.run({ args: ["verify", "--against-source"] });
  assert.equal(first.stdout, `${storeId}: not ok: event 1 differs from the source\n`);
  Deno.removeSync(place.file(storeId));
  assert.equal((await place.run()).code, 0);
  await server.stop();
  change(server.databasePath, (db) => db.run("DELETE FROM event WHERE sequence = 2"));
  await server.start();
  const second = await place.run({ args: ["verify", "--against-source"] });
  assert.deepEqual([second.code, second.stdout], [1, `${storeId}: not ok: the source has no event 2\n`]);
});
