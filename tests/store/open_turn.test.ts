import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { readState } from "../../src/store/identity.ts";
import type { Chunk } from "../../src/store/read_chunk.ts";
import { Store } from "../../src/store/store.ts";
import { Writer } from "../../src/store/writer.ts";
import { newEvent, queryOf, storeWrite, TestDirectory, TestStore } from "./test_store.ts";

/* A turn that stays open over several calls: begin, calls inside of it, commit or rollback. */

const ofTypes = (...types: string[]): ReturnType<typeof storeWrite> =>
  storeWrite(types.map((type) => newEvent(type)));

/** An append of `type` that is refused when there is an event of `unless` after a sequence. */
const unless = (unless: string, afterSequence: number, type = "t"): ReturnType<typeof storeWrite> =>
  storeWrite([newEvent(type)], { conditions: [{ failIfEventsMatch: queryOf([unless]), afterSequence }] });

function typesOf(chunk: Chunk): string[] {
  return [...new TextDecoder().decode(chunk.lines).matchAll(/"type":"([^"]*)"/g)].map(([, type]) => type!);
}

const everything = { query: "every", after: 0, head: undefined, eventsMax: Infinity } as const;

/** What another connection sees. */
function committedEvents(store: TestStore): number {
  const reader = new DatabaseSync(store.path, { readOnly: true });
  try {
    return reader.prepare("SELECT count(*) AS n FROM event").get()!["n"] as number;
  } finally {
    reader.close();
  }
}

Deno.test("calls inside a turn see what was written in it, others only after the commit", () => {
  using store = new TestStore();
  const writer = new Writer(store.db);
  writer.group([ofTypes("old")]);
  assert.equal(writer.begin(), undefined);
  assert.equal(writer.inTurn, true);
  const first = writer.writeInside(ofTypes("a", "b"));
  assert.equal(first.kind === "committed" && first.firstSequence, 2);
  const create = [{ type: "p", id: "1", payload: "x" }];
  writer.writeInside(storeWrite([], { projections: { create, replace: [], delete: [] } }));
  const chunk = writer.readChunkInside(everything);
  assert.deepEqual([typesOf(chunk), chunk.head, chunk.end], [["old", "a", "b"], 3, { hasMore: false }]);
  assert.equal(writer.readProjectionInside({ type: "p", id: "1" })?.payload.length, 1);
  assert.equal(writer.readProjectionInside({ type: "p", id: "2" }), undefined);
  assert.deepEqual(writer.state, { storeId: store.storeId, head: 3 });
  assert.equal(committedEvents(store), 1);
  assert.equal(writer.commit(), undefined);
  assert.equal(writer.inTurn, false);
  assert.equal(committedEvents(store), 3);
  assert.deepEqual(readState(store.db), { storeId: store.storeId, head: 3 });
});

Deno.test("a conflict inside a turn leaves the turn as it is", () => {
  using store = new TestStore();
  const writer = new Writer(store.db);
  writer.begin();
  writer.writeInside(ofTypes("a"));
  assert.equal(writer.writeInside(unless("a", 0)).kind, "conflict");
  assert.equal(writer.inTurn, true);
  const next = writer.writeInside(unless("a", 1));
  assert.equal(next.kind === "committed" && next.firstSequence, 2);
  assert.equal(writer.commit(), undefined);
  assert.equal(committedEvents(store), 2);
});

Deno.test("a rollback gives back the head: the sequences are given out again, in a turn and in a group", () => {
  using store = new TestStore();
  const writer = new Writer(store.db);
  writer.group([ofTypes("old")]);
  for (let i = 0; i < 3; i++) {
    writer.begin();
    const write = writer.writeInside(ofTypes("a", "b", "c"));
    assert.equal(write.kind === "committed" && write.firstSequence, 2);
    writer.rollback();
    assert.deepEqual([writer.inTurn, writer.state.head], [false, 1]);
  }
  const [verdict] = writer.group([ofTypes("d")]);
  assert.equal(verdict?.kind === "committed" && verdict.firstSequence, 2);
});

Deno.test("after a rollback the memory of recent terms holds nothing of the turn, and proves nothing false", () => {
  using store = new TestStore();
  const writer = new Writer(store.db);
  writer.group([ofTypes("old")]);
  writer.begin();
  writer.writeInside(ofTypes("undone", "x", "x"));
  // Asked, so that the memory has looked through what it was given.
  assert.equal(writer.writeInside(unless("undone", 0)).kind, "conflict");
  writer.rollback();
  assert.equal(writer.group([unless("undone", 0, "new")])[0]?.kind, "committed");
  assert.equal(
    writer.group([unless("new", 1)])[0]?.kind,
    "conflict",
    "written at the sequence of the undone one",
  );
  assert.equal(writer.group([unless("new", 2)])[0]?.kind, "committed");
  assert.equal(writer.group([unless("x", 1)])[0]?.kind, "committed");
  assert.equal(writer.group([unless("old", 0)])[0]?.kind, "conflict", "from before the turn");
});

Deno.test("what a turn committed is remembered like any other write", () => {
  using store = new TestStore();
  const writer = new Writer(store.db);
  writer.begin();
  writer.writeInside(ofTypes("a"));
  writer.writeInside(ofTypes("b"));
  assert.equal(writer.commit(), undefined);
  const kinds = [unless("a", 0), unless("a", 1), unless("b", 1), unless("b", 2)]
    .map((write) => writer.group([write])[0]?.kind);
  assert.deepEqual(kinds, ["conflict", "committed", "conflict", "committed"]);
});

/** SQL that breaks the statement which stores an event of type `bad`. */
const FAILING_INSERT = `CREATE TRIGGER failing BEFORE INSERT ON event WHEN instr(NEW.body, '"type":"bad"')
  BEGIN SELECT RAISE(ABORT, 'marked to fail'); END`;

/** SQL that lets an event of type `bad` in, but not the COMMIT that carries it. */
const FAILING_COMMIT = `PRAGMA foreign_keys = ON;
  CREATE TABLE parent (id INTEGER PRIMARY KEY);
  CREATE TABLE child (id INTEGER REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
  CREATE TRIGGER orphan AFTER INSERT ON event WHEN instr(NEW.body, '"type":"bad"')
    BEGIN INSERT INTO child VALUES (1); END`;

/** Asserts that no turn is open and that the next one starts from the given head. */
function assertOver(store: TestStore, writer: Writer, head: number): void {
  const noTurn = { kind: "failed", reason: "no turn is open" } as const;
  assert.deepEqual([writer.inTurn, writer.state.head, writer.broken], [false, head, undefined]);
  assert.deepEqual(writer.writeInside(ofTypes("late")), noTurn);
  assert.deepEqual(writer.commit(), noTurn);
  assert.throws(() => writer.readChunkInside(everything), /no turn is open/);
  assert.throws(() => writer.readProjectionInside({ type: "p", id: "1" }), /no turn is open/);
  writer.rollback();
  assert.equal(committedEvents(store), head);
  assert.equal(writer.begin(), undefined);
  const next = writer.writeInside(unless("good", head, "next"));
  assert.equal(next.kind === "committed" && next.firstSequence, head + 1);
  assert.equal(writer.commit(), undefined);
}

Deno.test("a write that fails inside a turn ends it, with everything that was written before", () => {
  using store = new TestStore();
  store.db.script(FAILING_INSERT);
  const writer = new Writer(store.db);
  writer.group([ofTypes("old")]);
  writer.begin();
  writer.writeInside(ofTypes("good"));
  assert.deepEqual(writer.writeInside(ofTypes("good", "bad")), { kind: "failed", reason: "marked to fail" });
  assertOver(store, writer, 1);
});

Deno.test("a read that fails inside a turn ends it", () => {
  for (const read of ["readChunkInside", "readProjectionInside"] as const) {
    using store = new TestStore();
    const writer = new Writer(store.db);
    writer.begin();
    writer.writeInside(ofTypes("good"));
    // Undone by the rollback.
    const table = read === "readChunkInside" ? "event" : "projection";
    store.db.script(`ALTER TABLE ${table} RENAME TO gone`);
    assert.throws(() => {
      if (read === "readChunkInside") writer.readChunkInside(everything);
      else writer.readProjectionInside({ type: "p", id: "1" });
    }, new RegExp(`no such table: ${table}`));
    assertOver(store, writer, 0);
  }
});

Deno.test("a COMMIT that fails: nothing was written, a fence makes it true, and the next turn goes on", () => {
  using store = new TestStore();
  store.db.script(FAILING_COMMIT);
  const writer = new Writer(store.db);
  writer.group([ofTypes("old")]);
  writer.begin();
  writer.writeInside(ofTypes("good"));
  writer.writeInside(ofTypes("bad"));
  const failure = writer.commit();
  assert.equal(failure?.kind, "failed");
  assert.match(failure.reason, /^COMMIT failed: /);
  assert.equal(store.db.get("SELECT fence FROM store")?.[0], 1);
  assertOver(store, writer, 1);
});

Deno.test("a COMMIT and a fence that fail: the outcome is unknown and no further turn is begun", () => {
  using store = new TestStore();
  store.db.script(FAILING_COMMIT);
  store.db.script(`CREATE TRIGGER no_fence BEFORE UPDATE OF fence ON store
    BEGIN SELECT RAISE(ABORT, 'no fence'); END`);
  const writer = new Writer(store.db);
  writer.begin();
  writer.writeInside(ofTypes("bad"));
  assert.equal(writer.commit()?.kind, "unknown");
  assert.match(writer.broken ?? "", /no fence/);
  assert.equal(writer.begin()?.kind, "failed");
  assert.equal(writer.inTurn, false);
});

async function withStore(run: (store: Store, dataDir: string) => Promise<void>): Promise<void> {
  using directory = new TestDirectory();
  const store = await Store.open({ dataDir: directory.path, readersMax: 1 });
  try {
    await run(store, directory.path);
  } finally {
    await store.close();
  }
}

Deno.test("a store with an open turn: readers see what is committed, calls inside see the turn", async () => {
  await withStore(async (store) => {
    await store.group([ofTypes("old")]);
    const begun = await store.begin();
    assert.deepEqual(begun, { failure: undefined, storeId: store.storeId, head: 1 });
    await store.writeInside(ofTypes("own"));
    assert.deepEqual(typesOf(await store.readChunk(everything)), ["old"]);
    assert.deepEqual(typesOf(await store.readChunkInside(everything)), ["old", "own"]);
    await store.rollback();
    await store.rollback();
    assert.equal((await store.commit())?.reason, "no turn is open");
    await assert.rejects(store.readChunkInside(everything), /no turn is open/);
    assert.deepEqual(typesOf(await store.readChunk(everything)), ["old"]);
  });
});

Deno.test("a store that is closed in an open turn rolls it back and leaves nothing behind", async () => {
  using directory = new TestDirectory();
  const options = { dataDir: directory.path, readersMax: 1 };
  const first = await Store.open(options);
  await first.group([ofTypes("old")]);
  await first.begin();
  await first.writeInside(ofTypes("undone"));
  await first.close();
  assert.deepEqual([...Deno.readDirSync(directory.path)].map(({ name }) => name).sort(), [
    "events.db",
    "events.lock",
  ]);
  const second = await Store.open(options);
  assert.equal(second.opened.head, 1);
  assert.deepEqual(typesOf(await second.readChunk(everything)), ["old"]);
  await second.close();
});

Deno.test("the WAL is not emptied in an open turn, however long it rests, but after its end", async () => {
  await withStore(async (store, dataDir) => {
    const walBytes = (): number => Deno.statSync(`${dataDir}/events.db-wal`).size;
    const quiet = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2300));
    await store.group([ofTypes("old")]);
    await store.begin();
    await store.writeInside(ofTypes("own"));
    const before = walBytes();
    await quiet();
    assert.ok(before > 0 && walBytes() === before);
    await store.writeInside(ofTypes("own"));
    assert.equal(await store.commit(), undefined);
    assert.ok(walBytes() > 0);
    await quiet();
    assert.equal(walBytes(), 0);
    assert.deepEqual(typesOf(await store.readChunk(everything)), ["old", "own", "own"]);
  });
});
