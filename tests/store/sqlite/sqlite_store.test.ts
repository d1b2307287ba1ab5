import assert from "node:assert/strict";
import { ApiError } from "../../../src/model/errors.ts";
import { StoreFileError } from "../../../src/store/sqlite/data_directory/database_file.ts";
import { initStore } from "../../../src/store/sqlite/data_directory/create_database.ts";
import { SqliteStore } from "../../../src/store/sqlite/sqlite_store.ts";
import type { Store } from "../../../src/store/api/store.ts";
import { EVERYTHING } from "../chunks.ts";
import { newEvent, ofTypes, storeWrite, tag } from "../made_writes.ts";
import { TestDirectory } from "../test_store.ts";

async function withStore(readersMax: number, run: (store: Store) => Promise<void>): Promise<void> {
  using directory = new TestDirectory();
  const store = await SqliteStore.open({ dataDir: directory.path, readersMax });
  try {
    await run(store);
  } finally {
    await store.close();
  }
}

for (const [when, inTurn] of [["at rest", false], ["in an open turn", true]] as const) {
  Deno.test(`a store that is closed ${when} leaves nothing behind except its database and its lock`, async () => {
    using directory = new TestDirectory();
    const store = await SqliteStore.open({ dataDir: directory.path, readersMax: 2 });
    await store.writer.group([ofTypes("t", "t")]);
    await store.reads.chunk(EVERYTHING);
    if (inTurn) {
      await store.writer.begin();
      await store.writer.writeInside(ofTypes("undone"));
    }
    await store.close();
    const names = [...Deno.readDirSync(directory.path)].map(({ name }) => name).sort();
    assert.deepEqual(names, ["events.db", "events.lock"]);
  });
}

Deno.test("a start removes what a restore has left that was killed before it replaced the database", async () => {
  using directory = new TestDirectory();
  initStore(directory.path);
  for (const end of ["", "-wal", "-journal"]) {
    Deno.writeTextFileSync(directory.file(`events.db.new${end}`), "key");
  }
  const store = await SqliteStore.open({ dataDir: directory.path, readersMax: 1 });
  await store.close();
  const names = [...Deno.readDirSync(directory.path)].map(({ name }) => name).sort();
  assert.deepEqual(names, ["events.db", "events.lock"]);
});

Deno.test("a thousand reads may wait for a reader, one more is rejected as Unavailable, but a ping is answered first", async () => {
  await withStore(1, async (store) => {
    await store.reads.ping();
    let answered = 0;
    const reads = Array.from({ length: 1001 }, async () => {
      await store.reads.projection({ type: "p", id: "1" });
      answered++;
    });
    await assert.rejects(store.reads.projection({ type: "p", id: "1" }), (error) => {
      assert.ok(error instanceof ApiError && error.code === "Unavailable");
      return true;
    });
    await store.reads.ping();
    assert.ok(answered < 10, `${answered} reads came first`);
    await Promise.all(reads);
  });
});

Deno.test("reads do not wait for a write that runs", async () => {
  await withStore(1, async (store) => {
    const many = Array.from({ length: 40_000 }, () => newEvent("t", [tag("n", "v")]));
    await store.reads.chunk(EVERYTHING);
    let written = false;
    const writing = store.writer.group([storeWrite(many)]).then(() => written = true);
    for (let i = 0; i < 5; i++) assert.equal((await store.reads.chunk(EVERYTHING)).events, 0);
    assert.equal(written, false, "the write is still running");
    await writing;
    assert.ok((await store.reads.chunk(EVERYTHING)).events > 0);
  });
});

Deno.test("a second store on the same directory is rejected, and is free again after close", async () => {
  using directory = new TestDirectory();
  const options = { dataDir: directory.path, readersMax: 1 };
  const first = await SqliteStore.open(options);
  await assert.rejects(SqliteStore.open(options), (error) => {
    assert.ok(error instanceof StoreFileError && error.message.includes(directory.path));
    return true;
  });
  await first.close();
  await (await SqliteStore.open(options)).close();
});

const damages: readonly [what: string, damage: (path: string) => void][] = [
  ["of no bytes", (path) => Deno.truncateSync(path, 0)],
  ["that was cut off beside an empty WAL", (path) => {
    Deno.truncateSync(path, 4096);
    Deno.writeFileSync(`${path}-wal`, new Uint8Array());
  }],
  ["whose pages behind the first are garbage", (path) => {
    const bytes = Deno.readFileSync(path);
    Deno.writeFileSync(path, bytes.fill(0xa5, 4096));
  }],
];
for (const [what, damage] of damages) {
  Deno.test(`a file ${what} is rejected in one line that names it, its bytes stay, and the lock is freed`, async () => {
    using directory = new TestDirectory();
    const { path } = initStore(directory.path);
    damage(path);
    const before = Deno.readFileSync(path);
    for (let attempt = 0; attempt < 2; attempt++) {
      await assert.rejects(SqliteStore.open({ dataDir: directory.path, readersMax: 1 }), (error) => {
        assert.ok(error instanceof StoreFileError, String(error));
        assert.ok(error.message.includes(path) && !error.message.includes("\n"), error.message);
        return true;
      });
    }
    assert.deepEqual(Deno.readFileSync(path), before);
  });
}
