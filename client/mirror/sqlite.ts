import type { MirrorDatabase } from "./database.ts";

/** The most statements that are kept prepared. */
const STATEMENTS_MAX = 100;

/** The values that SQLite stores. */
export type SqliteValue = null | number | bigint | string | Uint8Array;

/** The parts of a connection that a mirror uses: `DatabaseSync` of `node:sqlite`, or `Database` of `better-sqlite3`. */
export interface SqliteConnection {
  /** Executes statements without parameters. */
  exec(sql: string): unknown;
  /** Prepares one statement. */
  prepare(sql: string): SqliteStatement;
}

/** A prepared statement. */
export interface SqliteStatement {
  /** Executes it. */
  run(...values: SqliteValue[]): unknown;
  /** Executes it, and returns its first row. */
  get(...values: SqliteValue[]): unknown;
}

/** A SQLite database as `apply` gets it. Its methods return no promises. */
export interface SqliteDatabase extends MirrorDatabase {
  /** Statements have parameters such as `?`. */
  readonly dialect: "sqlite";
  /** Executes a statement with the parameters `?`. With values it is prepared once, and then kept. */
  run(sql: string, values?: readonly SqliteValue[]): void;
  /** Executes a statement, and returns its first row. */
  get(sql: string, values?: readonly SqliteValue[]): Record<string, SqliteValue> | undefined;
  /** True if another connection has locked the database. */
  isPassing(error: unknown): boolean;
}

/**
 * Makes a SQLite connection usable for `mirror`. The connection must be the mirror's own.
 *
 * @example
 * ```ts
 * import { DatabaseSync } from "node:sqlite";
 * import { sqlite } from "eventstore-client/mirror";
 *
 * const database = sqlite(new DatabaseSync(":memory:"));
 * database.run("CREATE TABLE seats (show TEXT PRIMARY KEY, taken INTEGER)");
 * database.run("INSERT INTO seats VALUES (?, ?)", ["s1", 0]);
 * console.log(database.get("SELECT taken FROM seats WHERE show = ?", ["s1"]));
 * ```
 */
export function sqlite(connection: SqliteConnection): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  const prepared = (sql: string): SqliteStatement => {
    let statement = statements.get(sql);
    if (!statement) {
      if (statements.size >= STATEMENTS_MAX) statements.clear();
      statements.set(sql, statement = connection.prepare(sql));
    }
    return statement;
  };
  return {
    dialect: "sqlite",
    run(sql, values) {
      if (values) prepared(sql).run(...values);
      else connection.exec(sql);
    },
    get: (sql, values = []) =>
      (prepared(sql).get(...values) ?? undefined) as Record<string, SqliteValue> | undefined,
    // Drivers name the error by different properties. All have the text of SQLite.
    isPassing: (error) => /database (?:table |schema )?is locked/.test(String(error)),
  };
}
