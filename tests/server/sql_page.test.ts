import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { assertFailed, BackupDirectories } from "../backup/run_backup.ts";
import { runInit } from "../cli/run_init.ts";
import { eventually } from "../support/eventually.ts";
import { type ServerProcess, sharedServer, startServer } from "../support/server_process.ts";
import { COURSE_EVENTS, pageQueries } from "../support/sql_page.ts";

const server = sharedServer();

type Row = Readonly<Record<string, unknown>>;

/** Writes one event after the other until it is disposed of. Disposal throws if a write has failed. */
function writing(server: ServerProcess): AsyncDisposable {
  const client = server.client();
  let isOver = false;
  const end = (async () => {
    while (!isOver) await client.append({ type: "Noise", payload: "no JSON" });
  })();
  return {
    async [Symbol.asyncDispose]() {
      isOver = true;
      await end;
    },
  };
}

Deno.test("the queries of docs/sql.md answer what the page says, while the server writes", async () => {
  const client = server.client();
  await client.append(...COURSE_EVENTS);
  const { events } = await client.queryEvents("*");
  const second = await client.append({ type: "Noise", payload: "later" });
  const [types, course, seats, hours, before, ...others] = pageQueries("sql");
  assert.deepEqual(others, []);
  await using _writing = writing(server);
  using db = new DatabaseSync(server.databasePath, { readOnly: true });
  const rows = (sql: string | undefined): Row[] => db.prepare(sql!).all();
  const { time } = events[0]!;
  for (let round = 0; round < 5; round++) {
    const found = rows(types);
    assert.ok(
      found.some(({ type, events, first, last }) =>
        type === "StudentEnrolled" && events === 2 && first === time && last === time
      ),
    );
    assert.deepEqual(
      rows(course).map((row) => ({ ...row })),
      events.filter(({ sequence }) => sequence !== 2)
        .map(({ sequence, time, type, payload }) => ({ sequence, time, type, payload })),
    );
    assert.deepEqual(rows(seats).map((row) => ({ ...row })), [
      { course: "c1", capacity: 30, enrolled: 2 },
      { course: "c2", capacity: 5, enrolled: 0 },
    ]);
    const total = rows(hours).reduce((sum, { events }) => sum + (events as number), 0);
    assert.ok(
      total >= events.length && total <= (rows("SELECT count(*) AS n FROM events")[0]!["n"] as number),
    );
    const moment = before!.replace(/'[^']+'/, `'${second.events[0]!.time}'`);
    assert.notEqual(moment, before);
    assert.deepEqual(rows(moment).map((row) => ({ ...row })), [{ "max(sequence)": events.length }]);
  }
});

Deno.test("a reader with an open transaction sees one moment, and stops no write; the WAL shrinks when it ends", async () => {
  const client = server.client();
  await client.append(...COURSE_EVENTS);
  const wal = (): number => Deno.statSync(`${server.databasePath}-wal`).size;
  const count = (db: DatabaseSync): unknown => db.prepare("SELECT count(*) AS n FROM events").get()!["n"];
  {
    using db = new DatabaseSync(server.databasePath, { readOnly: true });
    db.exec("BEGIN");
    assert.equal(count(db), COURSE_EVENTS.length);
    const payload = "x".repeat(50_000);
    for (let i = 0; i < 100; i++) await client.append({ type: "Large", payload });
    assert.equal(count(db), COURSE_EVENTS.length);
    assert.ok(wal() > 100 * payload.length, "everything is still in the WAL");
    db.exec("COMMIT");
    assert.equal(count(db), COURSE_EVENTS.length + 100);
  }
  await eventually(() => assert.equal(wal(), 0), 30);
});

Deno.test("a run of the backup that meets a query on the backup fails, and the next one copies what is missing", async () => {
  const client = server.client();
  await client.append(...COURSE_EVENTS);
  const { store } = await client.queryEvents("*");
  using place = new BackupDirectories(server.address);
  assert.equal((await place.run()).code, 0);
  await client.append({ type: "Later", payload: "" });
  const count = (db: DatabaseSync): unknown => db.prepare("SELECT count(*) AS n FROM events").get()!["n"];
  {
    using db = new DatabaseSync(place.file(store!), { readOnly: true });
    db.exec("BEGIN");
    assert.equal(count(db), COURSE_EVENTS.length);
    assertFailed(await place.run({ isProcess: true }), 1, /\.db cannot be opened: database is locked$/m);
    assert.equal(
      (await client.append({ type: "Later", payload: "" })).events.length,
      1,
      "the server goes on",
    );
  }
  assert.equal((await place.run()).code, 0);
  using db = new DatabaseSync(place.file(store!), { readOnly: true });
  assert.equal(count(db), COURSE_EVENTS.length + 2);
});

Deno.test("tools get the types of the columns before they read rows, and find only views and tables", () => {
  using db = new DatabaseSync(server.databasePath, { readOnly: true });
  const views = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'view'").all();
  assert.deepEqual(views.map(({ name }) => name), ["events", "event_tags"]);
  const columns = (view: string): unknown[] =>
    db.prepare(`PRAGMA table_info(${view})`).all().map(({ name }) => name);
  const page = Deno.readTextFileSync(new URL("../../docs/sql.md", import.meta.url));
  const [intro = ""] = page.split("\n## ");
  const documented = [...intro.matchAll(/^- `(\w+)`/gm)].map(([, name]) => name);
  assert.deepEqual([...columns("events"), ...columns("event_tags")], documented);
});

Deno.test("a store that lacks the views gets them with init --add-views, and only when it is stopped", async () => {
  await using server = await startServer();
  await server.client().append(...COURSE_EVENTS);
  const add = () => runInit(server.directory, ["--data-dir", server.dataDir, "--add-views"]);
  const running = await add();
  assert.equal(running.code, 1);
  assert.match(running.stderr, /in use by another process/);
  await server.stop();
  const inDatabase = (sql: string): Row[] => {
    using db = new DatabaseSync(server.databasePath);
    return db.prepare(sql).all();
  };
  inDatabase("DROP VIEW events");
  inDatabase("DROP VIEW event_tags");
  await server.start();
  await server.stop();
  const views = () => inDatabase("SELECT name FROM sqlite_schema WHERE type = 'view'").length;
  assert.equal(views(), 0, "the server opens it as it is");
  for (let round = 0; round < 2; round++) {
    assert.deepEqual(await add(), {
      code: 0,
      stdout: `${join(server.dataDir, "events.db")}: the views are there\n`,
      stderr: "",
    });
    assert.equal(inDatabase("SELECT count(*) AS n FROM events")[0]!["n"], COURSE_EVENTS.length);
  }
  inDatabase("DROP VIEW events");
  inDatabase("CREATE TABLE events (mine)");
  const rejected = await add();
  assert.equal(rejected.code, 1);
  assert.match(
    rejected.stderr,
    /: the views cannot be added to .*events\.db: view events differs from the schema\n$/,
  );
  {
    using file = Deno.openSync(server.databasePath, { write: true });
    // The tree of the first page begins after its header.
    file.seekSync(100, Deno.SeekMode.Start);
    file.writeSync(new Uint8Array(100).fill(0xff));
  }
  const damaged = await add();
  assert.equal(damaged.code, 1);
  assert.match(damaged.stderr, /: the views cannot be added to .*events\.db: .*malformed.*\n$/);
  const nowhere = await runInit(server.directory, ["--data-dir", "nowhere", "--add-views"]);
  assert.equal(nowhere.code, 1);
  assert.match(nowhere.stderr, /there is no database at \/.+\/nowhere\/events\.db\n$/);
});
