import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import type { StoredEvent } from "../../../client/mod.ts";
import {
  type MirrorDatabase,
  type MirrorModel,
  postgres,
  type PostgresConnection,
  sqlite,
} from "../../../client/mirror/mod.ts";

/** A connection to a database that a test fills. */
export interface Connection extends AsyncDisposable {
  readonly database: MirrorDatabase;
  /** The first column of all rows that a query finds. */
  column(sql: string): Promise<unknown[]>;
}

/** Connects to a SQLite file, or to the PostgreSQL of a URL. */
export async function connect(place: string): Promise<Connection> {
  return place.startsWith("postgresql:") ? await toPostgres(place) : toSqlite(place);
}

function toSqlite(path: string): Connection {
  const connection = new DatabaseSync(path);
  connection.exec("PRAGMA journal_mode = WAL");
  return {
    database: sqlite(connection),
    // deno-lint-ignore require-await -- an error becomes a rejection
    column: async (sql) => connection.prepare(sql).all().map((row) => Object.values(row)[0]),
    // deno-lint-ignore require-await -- see above
    [Symbol.asyncDispose]: async () => connection.close(),
  };
}

async function toPostgres(connectionString: string): Promise<Connection> {
  // The package has no types.
  const client: PostgresConnection & { connect(): Promise<void>; end(): Promise<void> } = new Client({
    connectionString,
  });
  await client.connect();
  return {
    database: postgres(client),
    column: async (sql) => (await client.query(sql)).rows.map((row) => Object.values(row as object)[0]),
    [Symbol.asyncDispose]: () => client.end(),
  };
}

/** The events of these tests. */
export interface NoteEvents {
  Noted: { text: string };
}

/** A table that has the texts of all notes, so that a repetition or a gap shows. */
export function notes(
  version = "1",
  apply: (...args: Parameters<typeof insert>) => void | Promise<void> = insert,
): MirrorModel<NoteEvents, MirrorDatabase> {
  return {
    name: "notes",
    version,
    query: { types: ["Noted"] },
    create: (table) => `CREATE TABLE ${table} (text TEXT); CREATE INDEX ${table}_by_text ON ${table} (text)`,
    apply,
  };
}

/** Inserts a row for each event. */
export async function insert(
  database: MirrorDatabase,
  events: readonly StoredEvent<NoteEvents>[],
  table: string,
): Promise<void> {
  const parameter = database.dialect === "sqlite" ? "?" : "$1";
  for (const { payload } of events) {
    await database.run(`INSERT INTO ${table} VALUES (${parameter})`, [payload.text]);
  }
}
