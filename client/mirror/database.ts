/**
 * A connection to the user's database that only the mirror uses, since its statements form transactions. `run` and
 * `get` may return promises or not, as the driver does. Without values, `run` must also take several statements.
 */
export interface MirrorDatabase {
  /** Decides how transactions begin, and whether the parameters of a statement are `?` or `$1`. */
  readonly dialect: "sqlite" | "postgres";
  /** Executes a statement. */
  run(sql: string, values?: readonly unknown[]): unknown;
  /** Executes a statement, and returns its first row as an object, `undefined` or `null` if there is none. */
  get(sql: string, values?: readonly unknown[]): unknown;
  /** True for an error after which the same transaction may succeed, such as a lock that another one holds. */
  isPassing?(error: unknown): boolean;
}

const BEGIN = { sqlite: "BEGIN IMMEDIATE", postgres: "BEGIN ISOLATION LEVEL READ COMMITTED" };

/** Does the work in a transaction, which an error undoes. */
export async function inTransaction<Result>(
  database: MirrorDatabase,
  work: () => Promise<Result>,
): Promise<Result> {
  await database.run(BEGIN[database.dialect]);
  try {
    const result = await work();
    await database.run("COMMIT");
    return result;
  } catch (error) {
    try {
      await database.run("ROLLBACK");
    } catch {
      // The database has undone it already, or the connection is lost. The first error says why.
    }
    throw error;
  }
}

/** Executes a statement with the parameters `?`, and returns its first row. */
export async function firstRow<Row>(
  database: MirrorDatabase,
  sql: string,
  ...values: readonly (string | number)[]
): Promise<Row | undefined> {
  let count = 0;
  const text = database.dialect === "sqlite" ? sql : sql.replace(/\?/g, () => `$${++count}`);
  return (await database.get(text, values) ?? undefined) as Row | undefined;
}
