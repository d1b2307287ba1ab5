import { Database, SqlCode } from "../../connection/database.ts";
import { type Additions, readAdditions } from "../../tables/additions.ts";
import { SCHEMA, SEALING, TREE, VIEWS } from "../../tables/schema.ts";

/** Most faults that SQLite may name; one is enough to know that the file is damaged. */
const FAULTS_MAX = 3;

/**
 * Returns the faults that SQLite finds in the pages, rows and indexes of the file, including the tag index's own
 * structure.
 * @throws Error when it cannot read a page, which says nothing about the file
 */
export function fileFaults(db: Database): string[] {
  const rows = db.all(`PRAGMA integrity_check(${FAULTS_MAX})`)
    .flatMap(([text]) => String(text).split("\n")).filter((line) => !line.startsWith("***"));
  const code = rows.map(codeOfUnreadPage).find((code) => (code & 0xff) === SqlCode.ioError);
  if (code !== undefined) throw new Error(`disk I/O error (SQLite's error code ${code})`);
  return rows.length === 1 && rows[0] === "ok" ? [] : rows;
}

/** Returns why SQLite could not read a page, as its extended result code; 0 for any other fault. */
function codeOfUnreadPage(fault: string): number {
  return Number(/unable to get the page. error code=(\d+)/.exec(fault)?.[1] ?? 0);
}

/** Returns tables and views that are foreign or different from the schema's, and tables that are missing. */
export function schemaFaults(db: Database): string[] {
  const expected = newSchema(readAdditions(db));
  const found = partsOf(db);
  const names = [...new Set([...expected.keys(), ...found.keys()])];
  return names.flatMap((name) => {
    const part = expected.get(name);
    if (part === undefined) return [`${name} does not belong here`];
    if (found.has(name)) {
      return found.get(name)!.sql === part.sql ? [] : [`${part.kind} ${name} differs from the schema`];
    }
    // A database that was created before there were views is complete without them.
    return part.kind === "view" ? [] : [`${part.kind} ${name} is missing`];
  });
}

/** A table or a view, and the statement that created it. */
interface Part {
  readonly kind: string;
  readonly sql: unknown;
}

function newSchema({ subjects, tree }: Additions): Map<string, Part> {
  using db = new Database(":memory:", { readOnly: false });
  db.script(SCHEMA + VIEWS + (subjects ? SEALING : "") + (tree ? TREE : ""));
  return partsOf(db);
}

/** Returns every table and view in the file, except for SQLite's own tables (statistics). */
function partsOf(db: Database): Map<string, Part> {
  const rows = db.all(
    "SELECT name, type, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
  );
  return new Map(rows.map(([name, kind, sql]) => [String(name), { kind: String(kind), sql }]));
}
