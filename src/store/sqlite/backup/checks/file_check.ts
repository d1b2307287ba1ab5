import { Database } from "../../connection/database.ts";
import { SCHEMA } from "../../tables/schema.ts";

/** Most faults that SQLite may name; one is enough to know that the file is damaged. */
const FAULTS_MAX = 3;

/** What SQLite finds wrong with the pages, rows and indexes of the file, the tag index's own structure included. */
export function fileFaults(db: Database): string[] {
  const rows = db.all(`PRAGMA integrity_check(${FAULTS_MAX})`).map(([text]) => String(text));
  return rows.length === 1 && rows[0] === "ok" ? [] : rows;
}

/** Tables that are missing, foreign, or different from the schema's. */
export function schemaFaults(db: Database): string[] {
  const expected = newSchema();
  const found = tablesOf(db);
  const names = [...new Set([...expected.keys(), ...found.keys()])];
  return names.filter((name) => expected.get(name) !== found.get(name)).map((name) => {
    if (!found.has(name)) return `table ${name} is missing`;
    return expected.has(name) ? `table ${name} differs from the schema` : `${name} does not belong here`;
  });
}

function newSchema(): Map<string, unknown> {
  using db = new Database(":memory:", { readOnly: false });
  db.script(SCHEMA);
  return tablesOf(db);
}

/** The statements that created everything in the file, except for SQLite's own tables (statistics). */
function tablesOf(db: Database): Map<string, unknown> {
  const rows = db.all("SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'");
  return new Map(rows.map(([name, sql]) => [String(name), sql]));
}
