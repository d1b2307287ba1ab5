import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { editions } from "../../src/editions/editions.ts";
import { isThere } from "../../src/files/is_there.ts";
import type { Client } from "../support/client.ts";
import { startServer } from "../support/server_process.ts";
import { change, makeBackup, placeWithoutSource, sampleEvents } from "./made_backup.ts";
import { oddEvents } from "./odd_events.ts";
import { assertFailed, BackupDirectories, type Ended, event } from "./run_backup.ts";
import { sourceLines } from "./stored_lines.ts";

const QUERIES: readonly unknown[] = [
  [{ types: ["several", "nul\0"] }],
  [{ identifiers: [{ name: "a", value: "2" }, { name: "b", value: "3" }] }],
  [{ identifiers: [{ name: "__proto__", value: "constructor" }] }],
  [{ identifiers: [{ name: '"', value: "\\" }] }, { metadata: [{ name: "", value: "" }] }],
  [{ identifiers: [{ name: "\0", value: "\0\0" }], metadata: [{ name: "m", value: "\u0001" }] }],
  [{ types: ["emoji \u{1F600}"], identifiers: [{ name: "\u{1F600}", value: "\u{10FFFF}" }] }],
  [{ metadata: [{ name: "name 20", value: "value 0" }] }],
];

const modeOf = (path: string): number => Deno.statSync(path).mode! & 0o777;
const namesIn = (directory: string): string[] =>
  [...Deno.readDirSync(directory)].map(({ name }) => name).sort();

function restore(place: BackupDirectories, ...args: string[]): Promise<Ended> {
  return place.run({ args: ["restore", ...args] });
}

async function answers(client: Client, every: string): Promise<string[]> {
  const texts = [(await sourceLines(client, every)).join("")];
  for (const query of QUERIES) {
    const { text } = await client.request("QUERY", "/events", { json: { query } });
    assert.ok(text.split("\n").length > 2, `${JSON.stringify(query)} finds something`);
    texts.push(text);
  }
  return texts;
}

/** The store ID that restore printed. */
function restoredId({ code, stdout, stderr }: Ended): string {
  assert.deepEqual([code, stderr], [0, ""]);
  return /^store ([0-9a-f-]{36}), with the \d+ events of store [0-9a-f-]{36}$/m.exec(stdout)![1]!;
}

for (const edition of Object.keys(editions)) {
  Deno.test(`a restored backup of edition ${edition} serves the same events to the same queries, byte for byte`, async () => {
    await using writer = await startServer();
    await writer.client().append(...oddEvents);
    await writer.stop();
    const env = { SERVICE_EDITION: edition };
    const every = edition === "B" ? "all" : "*";
    await using source = await startServer({ env: { ...env, SERVICE_DATA_DIR: writer.dataDir } });
    const expected = await answers(source.client(), every);
    using place = new BackupDirectories(source.address);
    assert.equal((await place.run()).code, 0);
    assert.match((await place.run({ args: ["verify"] })).stdout, /: ok, \d+ events\n$/);
    await source.stop();

    const ended = await restore(place, "--to", "restored");
    const storeId = restoredId(ended);
    assert.match(ended.stdout, /^\/.+\/restored\/events\.db\n/);
    assert.match(ended.stdout, /Positions that readers saved are void/);
    assert.match(ended.stdout, /Projections .* must be rebuilt/);
    const dataDir = join(place.directory, "restored");
    assert.deepEqual(namesIn(dataDir), ["events.db", "events.lock"]);
    assert.deepEqual([modeOf(dataDir), modeOf(join(dataDir, "events.db"))], [0o700, 0o600]);
    await using server = await startServer({ env: { ...env, SERVICE_DATA_DIR: dataDir } });
    assert.deepEqual(await answers(server.client(), every), expected);
    assert.equal((await server.client().queryEvents(every, { limit: 1 })).store, storeId);
  });
}

Deno.test("each restore is a separate store, which continues where the backup ends", async () => {
  using place = placeWithoutSource();
  const backup = makeBackup(place, sampleEvents(3));
  const ids = new Set([backup]);
  for (const name of ["one", "two"]) {
    const storeId = restoredId(await restore(place, "--to", name, backup));
    ids.add(storeId);
    await using server = await startServer({ env: { SERVICE_DATA_DIR: join(place.directory, name) } });
    assert.equal(await server.client().storeId(), storeId);
    const { events: [written] } = await server.client().append(event("4"));
    assert.equal(written!.sequence, 4);
    const condition = {
      failIfEventsMatch: [{ identifiers: [{ name: "n", value: "2" }] }],
    };
    assert.equal(
      (await server.client().write({ conditions: [condition] })).status,
      409,
      "the index is there",
    );
    // The restored store can be the source of the next backup.
    using next = new BackupDirectories(server.address);
    assert.equal((await next.run()).code, 0);
    assert.equal((await next.run({ args: ["verify"] })).stdout, `${storeId}: ok, 4 events\n`);
  }
  assert.equal(ids.size, 3);
});

Deno.test("a dry run says what would be done, or why not, and changes nothing", async () => {
  using place = placeWithoutSource();
  const storeId = makeBackup(place, sampleEvents(3));
  const { code, stdout, stderr } = await restore(place, "--to", "new", "--dry-run");
  assert.deepEqual([code, stderr], [0, ""]);
  assert.equal(
    stdout,
    `would create ${place.directory}/new/events.db with the 3 events of store ${storeId}; nothing was changed\n`,
  );
  assert.deepEqual(namesIn(place.directory), ["backup"]);

  restoredId(await restore(place, "--to", "there"));
  const before = Deno.readFileSync(join(place.directory, "there/events.db"));
  assertFailed(await restore(place, "--to", "there", "--dry-run"), 1, /there\/events\.db already exists/);
  const forced = await restore(place, "--to", "there", "--dry-run", "--force");
  assert.match(
    forced.stdout,
    /^would create .*, replacing the existing database; nothing was changed\n$/,
  );
  assert.deepEqual(Deno.readFileSync(join(place.directory, "there/events.db")), before);

  change(place.file(storeId), (db) => db.run("DELETE FROM event WHERE sequence = 2"));
  assertFailed(await restore(place, "--to", "new", "--dry-run"), 1, /is damaged, .*: event 2 is missing$/m);
});

Deno.test("the backup to restore must be clear, and it must be whole", async () => {
  using place = placeWithoutSource();
  assertFailed(await restore(place, "--to", "data"), 1, /there is no backup in \/.*\/backup$/m);
  const [one, two] = [makeBackup(place, sampleEvents(3)), makeBackup(place, sampleEvents(4))].toSorted();
  assertFailed(await restore(place, "--to", "data"), 1, new RegExp(`name one: ${one}, ${two}$`, "m"));
  assertFailed(await restore(place, one!), 2, /--to is missing/);
  change(place.file(one!), (db) => db.run("UPDATE event SET time = time + 1 WHERE sequence = 2"));
  assertFailed(
    await restore(place, "--to", "data", one!),
    1,
    new RegExp(`backup/${one}\\.db is damaged, nothing was restored: the hash chain differs`),
  );
  assert.deepEqual(namesIn(join(place.directory, "data")), ["events.lock"]);
  restoredId(await restore(place, "--to", "data", two!));
});

Deno.test("an existing database is replaced with --force only, and only by a complete one", async () => {
  using place = placeWithoutSource();
  const whole = makeBackup(place, sampleEvents(5));
  const damaged = makeBackup(place, sampleEvents(5));
  change(place.file(damaged), (db) => db.run("DELETE FROM time_block"));
  const dataDir = join(place.directory, "data");
  await using server = await startServer({ env: { SERVICE_DATA_DIR: dataDir } });
  const old = await server.client().storeId();
  await server.client().append(event("old 1"));
  for (const args of [[], ["--force"], ["--dry-run", "--force"]]) {
    assertFailed(
      await restore(place, "--to", "data", whole, ...args),
      1,
      /data is in use by another process/,
    );
  }
  assert.equal((await server.client().allEvents()).length, 1, "the server goes on");

  // The kill leaves an event in the WAL, which belongs to the old database. (An idle server empties the WAL.)
  await server.client().append(event("old 2"));
  await server.kill();
  assert.ok(Deno.statSync(join(dataDir, "events.db-wal")).size > 0);
  assertFailed(await restore(place, "--to", "data", whole), 1, /already exists; --force replaces it/);
  assertFailed(await restore(place, "--to", "data", "--force", damaged), 1, /the time index differs/);
  await server.start();
  assert.equal(await server.client().storeId(), old);
  assert.equal((await server.client().allEvents()).length, 2, "the old one is untouched");

  await server.client().append(event("old 3"));
  await server.kill();
  assert.ok(Deno.statSync(join(dataDir, "events.db-wal")).size > 0);
  const storeId = restoredId(await restore(place, "--to", "data", "--force", whole));
  await server.start();
  assert.equal(await server.client().storeId(), storeId);
  assert.deepEqual(
    (await server.client().allEvents()).map(({ type }) => type),
    [0, 1, 0, 1, 0].map((n) => `type ${n}`),
  );
});

Deno.test("without --force, whatever is at the path of the database stays, and a WAL that cannot be read even with it", async () => {
  using place = placeWithoutSource();
  makeBackup(place, sampleEvents(3));
  const dataDir = join(place.directory, "data");
  const path = join(dataDir, "events.db");
  Deno.mkdirSync(dataDir);
  for (const content of ["", "somebody else's"]) {
    Deno.writeTextFileSync(path, content);
    assertFailed(await restore(place, "--to", "data"), 1, /already exists/);
    Deno.writeTextFileSync(`${path}-wal`, "what is it?");
    assertFailed(
      await restore(place, "--to", "data", "--force"),
      1,
      /cannot be replaced safely because of .*-wal: /,
    );
    assert.equal(Deno.readTextFileSync(path), content);
    Deno.removeSync(`${path}-wal`);
  }
  restoredId(await restore(place, "--to", "data", "--force"));
  Deno.removeSync(path);
  Deno.writeTextFileSync(`${path}-wal`, "left alone");
  assertFailed(await restore(place, "--to", "data"), 1, /already exists/);
  Deno.writeTextFileSync(join(place.directory, "file"), "");
  assertFailed(await restore(place, "--to", "file"), 1, /the data directory \/.+\/file cannot be created/);
});

Deno.test("something other than a file stays at the path of the database, also with --force, and nothing is copied first", async () => {
  using place = placeWithoutSource();
  makeBackup(place, sampleEvents(3));
  const dataDir = join(place.directory, "data");
  Deno.mkdirSync(join(dataDir, "events.db"), { recursive: true });
  for (const args of [[], ["--force"], ["--force", "--dry-run"]]) {
    const ended = await restore(place, "--to", "data", ...args);
    assertFailed(ended, 1, /: \/.+\/data\/events\.db is not a regular file; it will not be replaced$/m);
  }
  assert.deepEqual(namesIn(dataDir), ["events.db", "events.lock"]);
});

Deno.test("a pause of edition C ends with the database that was paused, and not before", async () => {
  using place = placeWithoutSource();
  const whole = makeBackup(place, sampleEvents(3));
  const damaged = makeBackup(place, sampleEvents(3));
  change(place.file(damaged), (db) => db.run("DELETE FROM time_block"));
  const dataDir = join(place.directory, "data");
  await using server = await startServer({ env: { SERVICE_EDITION: "C", SERVICE_DATA_DIR: dataDir } });
  assert.equal((await server.client().request("POST", "/pause")).status, 204);
  await server.stop();
  assertFailed(await restore(place, "--to", "data", "--force", damaged), 1, /the time index differs/);
  assert.ok(isThere(join(dataDir, "service.paused")));
  restoredId(await restore(place, "--to", "data", "--force", whole));
  assert.deepEqual(namesIn(dataDir), ["events.db", "events.lock"]);
  await server.start();
  assert.equal((await server.client().request("POST", "/begin")).status, 200);
});

Deno.test("events that a killed run left in the WAL of the backup are restored, too", async () => {
  using place = placeWithoutSource();
  const storeId = makeBackup(place, sampleEvents(3));
  using killed = placeWithoutSource();
  Deno.mkdirSync(killed.dataDir);
  change(place.file(storeId), (db) => {
    db.all("PRAGMA journal_mode = WAL");
    db.run("UPDATE origin SET source = 'http://in.the.wal'");
    db.run("INSERT INTO projection (type, id, version, payload) VALUES (x'61', x'61', 'in the WAL', x'')");
    for (const end of ["", "-wal"]) {
      Deno.copyFileSync(place.file(storeId) + end, killed.file(storeId) + end);
    }
  });
  const before = Deno.readFileSync(killed.file(storeId));
  restoredId(await restore(killed, "--to", "data"));
  assert.deepEqual(Deno.readFileSync(killed.file(storeId)), before, "the backup is only read");
  assert.deepEqual(namesIn(join(killed.directory, "data")), ["events.db", "events.lock"]);
  // The WAL of a link is next to the target of the link.
  using linked = placeWithoutSource();
  Deno.mkdirSync(linked.dataDir);
  Deno.symlinkSync(killed.file(storeId), linked.file(storeId));
  restoredId(await restore(linked, "--to", "data"));
  for (const { directory } of [killed, linked]) {
    change(join(directory, "data", "events.db"), (db) => {
      assert.equal(db.get("SELECT version FROM projection")?.[0], "in the WAL");
    });
  }
});

const KILLS = Deno.env.get("EVENTSTORE_LONG_TESTS") === "1" ? 300 : 8;
const EVENTS = 1000;

Deno.test(`a restore killed ${KILLS} times at random moments leaves no database or a whole one, and the next one works`, async () => {
  using place = placeWithoutSource();
  makeBackup(place, sampleEvents(EVENTS));
  const dataDir = join(place.directory, "data");
  const path = join(dataDir, "events.db");
  const started = performance.now();
  restoredId(await restore(place, "--to", "data"));
  const milliseconds = performance.now() - started;
  const old = Deno.readFileSync(path);
  const found = { untouched: 0, unfinished: 0, finished: 0 };
  const areEnough = (): boolean => found.unfinished >= KILLS / 4;
  // On a loaded machine more kills come too early or too late.
  for (let kill = 0; kill < KILLS || !areEnough() && kill < 10 * KILLS; kill++) {
    // Every other time there is a database already.
    const isReplacing = kill % 2 === 1;
    if (isReplacing) Deno.writeFileSync(path, old);
    else for (const name of namesIn(dataDir)) Deno.removeSync(join(dataDir, name));
    await killedRestore(place, Math.random() * milliseconds, isReplacing ? ["--force"] : []);
    const isNew = isThere(path) && !Buffer.from(old).equals(Deno.readFileSync(path));
    found[isThere(`${path}.new`) ? "unfinished" : isNew ? "finished" : "untouched"]++;
    if (isNew) assertWhole(path);
    else assert.equal(isThere(path), isReplacing, "what was there is there, and nothing else");
  }
  assert.ok(areEnough(), JSON.stringify(found));
  restoredId(await restore(place, "--to", "data", "--force"));
  assert.deepEqual(namesIn(dataDir), ["events.db", "events.lock"], "remains are cleared away");
});

function assertWhole(path: string): void {
  for (const end of ["-wal", "-journal"]) assert.equal(isThere(path + end), false);
  change(
    path,
    (db) => assert.deepEqual(db.get("SELECT count(*), max(sequence) FROM event"), [EVENTS, EVENTS]),
  );
}

async function killedRestore(
  place: BackupDirectories,
  afterMilliseconds: number,
  args: readonly string[],
): Promise<void> {
  const child = place.spawn({ args: ["restore", "--to", "data", ...args] });
  const ending = child.output();
  await new Promise((resolve) => setTimeout(resolve, afterMilliseconds));
  try {
    child.kill("SIGKILL");
  } catch {
    // It has just ended.
  }
  await ending;
}

Deno.test("a signal ends a restore gracefully: nothing is left behind", async () => {
  using place = placeWithoutSource();
  makeBackup(place, sampleEvents(30_000));
  const ends = new Set<string>();
  for (
    let afterMilliseconds = 50;
    afterMilliseconds < 2000 && !ends.has("stopped");
    afterMilliseconds += 40
  ) {
    const child = place.spawn({ args: ["restore", "--to", "data"] });
    const ending = child.output();
    await new Promise((resolve) => setTimeout(resolve, afterMilliseconds));
    try {
      child.kill("SIGTERM");
    } catch {
      // It has just ended.
    }
    const { code, stderr } = await ending;
    const names = isThere(join(place.directory, "data")) ? namesIn(join(place.directory, "data")) : [];
    if (code === 1) {
      assert.equal(new TextDecoder().decode(stderr), "eventstore-backup: stopped by SIGTERM\n");
      assert.deepEqual(names, ["events.lock"]);
      ends.add("stopped");
    } else if (code === 0) {
      assert.deepEqual(names, ["events.db", "events.lock"]);
      Deno.removeSync(join(place.directory, "data"), { recursive: true });
    }
  }
  assert.ok(ends.has("stopped"), "one signal came in the middle");
});
