import type { MirrorDatabase } from "./database.ts";

/** A serialization failure, a deadlock, and a lock that was not free in time. */
const PASSING = ["40001", "40P01", "55P03"];

/** The part of a `Client` of the package `pg` that a mirror uses. */
export interface PostgresConnection {
  /** Executes a statement; without values also several. */
  query(sql: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/** A PostgreSQL database as `apply` gets it. */
export interface PostgresDatabase extends MirrorDatabase {
  /** Statements have parameters such as `$1`. */
  readonly dialect: "postgres";
  /** Executes a statement with the parameters `$1`, `$2`, ... */
  run(sql: string, values?: readonly unknown[]): Promise<void>;
  /** Executes a statement, and returns its first row. */
  get(sql: string, values?: readonly unknown[]): Promise<Record<string, unknown> | undefined>;
  /** True if the transaction lost against another one. */
  isPassing(error: unknown): boolean;
}

/**
 * Makes a connected `Client` of the package `pg` usable for `mirror`. The connection must be the mirror's own.
 * @throws {TypeError} for a `Pool`, which may send each statement over another connection
 * @example
 * ```ts
 * import { postgres, type PostgresConnection } from "eventstore-client/mirror";
 *
 * // With the package "pg": const client = new Client(); await client.connect();
 * const client: PostgresConnection = { query: () => Promise.resolve({ rows: [{ one: 1 }] }) };
 * console.log(await postgres(client).get("SELECT 1 AS one"));
 * ```
 */
export function postgres(client: PostgresConnection): PostgresDatabase {
  if ("totalCount" in client) {
    throw new TypeError("postgres() needs one connection: a Client, or one from pool.connect(), not a Pool");
  }
  const rows = async (sql: string, values?: readonly unknown[]): Promise<readonly unknown[]> =>
    (await client.query(sql, values && [...values])).rows;
  return {
    dialect: "postgres",
    async run(sql, values) {
      await rows(sql, values);
    },
    get: async (sql, values) => (await rows(sql, values))[0] as Record<string, unknown> | undefined,
    isPassing: (error) => PASSING.includes((error as { readonly code?: string } | undefined)?.code ?? ""),
  };
}
