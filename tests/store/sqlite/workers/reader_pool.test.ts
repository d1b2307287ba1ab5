import assert from "node:assert/strict";
import { createDatabase } from "../../../../src/store/sqlite/data_directory/create_database.ts";
import { openForWriting } from "../../../../src/store/sqlite/connection/connection.ts";
import { ReaderPool } from "../../../../src/store/sqlite/workers/reader_pool.ts";
import { TestDirectory } from "../../test_store.ts";

Deno.test("a reader that cannot be opened fails the reads that wait for it, none hangs, and a later one is opened anew", async () => {
  using directory = new TestDirectory();
  const path = directory.file("events.db");
  const pool = new ReaderPool(path, 2);
  try {
    const reads = Array.from({ length: 6 }, () => pool.ping());
    const results = await Promise.allSettled(reads);
    assert.deepEqual(results.map(({ status }) => status), Array(6).fill("rejected"));
    assert.equal(pool.inUse, 0);
    createDatabase(path);
    // Keeps the files beside the database that a reader needs.
    const db = openForWriting(path);
    await Promise.all(Array.from({ length: 6 }, () => pool.ping()));
    assert.equal(pool.inUse, 0);
    db.close();
  } finally {
    pool.close();
  }
});
