import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { Database } from "../../../../src/store/sqlite/connection/database.ts";
import { SCHEMA, SCHEMA_VERSION } from "../../../../src/store/sqlite/tables/schema.ts";

/** What each version makes SQLite keep. `verify` compares it, so a changed comment would make backups look damaged. */
const KEPT = new Map([[2, "86ac68473c1c05aa92e02a2a1afc48337a44c4aaca63feab0407fe7dc5e4d632"]]);

Deno.test("the text of a schema version never changes, not even its comments", () => {
  using db = new Database(":memory:", { readOnly: false });
  db.script(SCHEMA);
  const kept = db.all("SELECT name, sql FROM sqlite_schema ORDER BY name");
  assert.equal(hash("sha256", JSON.stringify(kept)), KEPT.get(SCHEMA_VERSION));
});
