import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { Database } from "../../../../src/store/sqlite/connection/database.ts";
import {
  SCHEMA,
  SCHEMA_VERSION,
  SEALING,
  SEALING_VERSION,
  TREE,
  VIEWS,
} from "../../../../src/store/sqlite/tables/schema.ts";

/**
 * The text that SQLite stores for each version. `verify` compares it, so a changed comment would make backups look
 * damaged. The views have a hash of their own: databases may lack them.
 */
const KEPT = new Map([[2, {
  tables: "86ac68473c1c05aa92e02a2a1afc48337a44c4aaca63feab0407fe7dc5e4d632",
  views: "d37347cfafa8bb7511c123299497f7a9afcee0d97daa047e3508a594d1f8d0f9",
}]]);

/** The same for the tables that version 3 has besides those of version 2. */
const SEALED = new Map([[3, {
  sealing: "ceca9f2af8a6be10b537921037f9808f391c0425ed14581c97fe0b36ff70569d",
}]]);

/** The same for the table that versions 6 and 7 have besides those of versions 2 and 3. */
const TREE_KEPT = "dc272b7da6702c9d3eb64900ab70f7d0a228675df3c06084810e256191e498bc";

Deno.test("the text of a schema version never changes, not even its comments", () => {
  using db = new Database(":memory:", { readOnly: false });
  const kept = (condition: string): string =>
    hash("sha256", JSON.stringify(db.all(`SELECT name, sql FROM sqlite_schema ${condition} ORDER BY name`)));
  db.script(SCHEMA);
  const tables = kept("");
  db.script(VIEWS);
  assert.deepEqual({ tables, views: kept("WHERE type = 'view'") }, KEPT.get(SCHEMA_VERSION));
  db.script(SEALING);
  const sealing = kept("WHERE tbl_name IN ('subject', 'subject_key')");
  assert.deepEqual({ sealing, others: kept("WHERE type <> 'view' AND tbl_name NOT LIKE 'subject%'") }, {
    ...SEALED.get(SEALING_VERSION),
    others: tables,
  });
  db.script(TREE);
  assert.equal(kept("WHERE tbl_name = 'tree_block'"), TREE_KEPT);
});
