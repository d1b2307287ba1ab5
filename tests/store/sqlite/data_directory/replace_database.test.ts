import assert from "node:assert/strict";
import { openForWriting } from "../../../../src/store/sqlite/connection/connection.ts";
import { createDatabase } from "../../../../src/store/sqlite/data_directory/create_database.ts";
import { Database } from "../../../../src/store/sqlite/connection/database.ts";
import { isThere } from "../../../../src/files/is_there.ts";
import { prepareReplacement } from "../../../../src/store/sqlite/data_directory/replace_database.ts";
import { TestDirectory } from "../../test_store.ts";

const projections = (db: Database): unknown => db.get("SELECT count(*) FROM projection")?.[0];
const INSERT_MANY = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
  INSERT INTO projection SELECT x'74', CAST('id' || i AS BLOB), '', zeroblob(2000) FROM n`;

/** Copies a database in the middle of a transaction, as a crash would leave it. */
function crashedCopy(directory: TestDirectory, journalMode: "WAL" | "DELETE"): string {
  const path = directory.file("events.db");
  createDatabase(path);
  const db = new Database(path, { readOnly: false });
  db.all(`PRAGMA journal_mode = ${journalMode}`);
  // Pages are written before the commit.
  db.all("PRAGMA cache_size = 5");
  db.run("INSERT INTO projection VALUES (x'74', x'00', '', x'')");
  db.run("BEGIN");
  db.run(INSERT_MANY);
  const copy = directory.file("copy.db");
  for (const end of ["", "-wal", "-journal"]) {
    if (isThere(path + end)) Deno.copyFileSync(path + end, copy + end);
  }
  db.close();
  return copy;
}

for (const [journalMode, end] of [["WAL", "-wal"], ["DELETE", "-journal"]] as const) {
  Deno.test(`a database to be replaced has no ${end} that would be played into the new one`, () => {
    using directory = new TestDirectory();
    const path = crashedCopy(directory, journalMode);
    assert.ok(Deno.statSync(path + end).size > 4096);
    prepareReplacement(path);
    for (const end of ["-wal", "-journal"]) assert.equal(isThere(path + end), false);
    const db = openForWriting(path);
    assert.equal(projections(db), 1, "it holds what was committed");
    db.close();
  });
}
