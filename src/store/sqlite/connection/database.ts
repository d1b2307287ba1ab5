import { DatabaseSync, type StatementSync } from "node:sqlite";

/**
 * Values that may be bound. Numbers are excluded on purpose: the driver binds them as REAL, and FTS5 then
 * ignores a bound on `rowid` and scans the whole index.
 */
export type SqlValue = bigint | string | Uint8Array | null;
export type Row = readonly unknown[];

/** SQLite's primary result codes that the store distinguishes. */
export const SqlCode = { busy: 5, ioError: 10, corrupt: 11, full: 13, notADatabase: 26 } as const;

/** The primary result code of an error thrown by SQLite, or undefined for any other error. */
export function sqlCodeOf(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === "number" ? code & 0xff : undefined;
}

/** SQLite's message for a page that it cannot use. It is the same when the operating system reports an I/O error. */
const MALFORMED = "database disk image is malformed";
const UNLESS_DISK_FAILED = ", or the disk could not read it";

/** Returns the same error with a message that does not blame the file, since the disk may be at fault. */
function unblaming(error: unknown): unknown {
  if (error instanceof Error && error.message === MALFORMED) error.message += UNLESS_DISK_FAILED;
  return error;
}

/** The runtime has this method; its type declarations do not. */
interface ArrayStatement extends StatementSync {
  setReturnArrays(enabled: boolean): void;
}

/** Enough for every SQL text of the store. The texts are constants, so this is only a safety net. */
const STATEMENTS_MAX = 100;

/**
 * One connection. Only this module knows the driver. Statements are prepared once, since the driver leaks those that
 * are prepared in a loop; rows are arrays. The driver's `iterate` is not offered: it ends silently on an error. Bound
 * the rows in the SQL instead.
 */
export class Database implements Disposable {
  readonly #driver: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(path: string, options: { readOnly: boolean }) {
    this.#driver = new DatabaseSync(path, { readOnly: options.readOnly });
  }

  /** Returns every row of a query, so the SQL itself must bound them. */
  all(sql: string, ...values: SqlValue[]): Row[] {
    try {
      return this.#prepared(sql).all(...values) as unknown as Row[];
    } catch (error) {
      throw unblaming(error);
    }
  }

  /** Returns the first row of a query. */
  get(sql: string, ...values: SqlValue[]): Row | undefined {
    try {
      return this.#prepared(sql).get(...values) as unknown as Row | undefined;
    } catch (error) {
      throw unblaming(error);
    }
  }

  /** Runs a statement that returns no rows. */
  run(sql: string, ...values: SqlValue[]): void {
    try {
      this.#prepared(sql).run(...values);
    } catch (error) {
      throw unblaming(error);
    }
  }

  /** Runs several statements at once, for the schema. Errors of a script carry no code. */
  script(sql: string): void {
    try {
      this.#driver.exec(sql);
    } catch (error) {
      throw unblaming(error);
    }
  }

  get inTransaction(): boolean {
    return this.#driver.isTransaction;
  }

  close(): void {
    this.#statements.clear();
    this.#driver.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #prepared(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      if (this.#statements.size >= STATEMENTS_MAX) this.#statements.clear();
      statement = this.#driver.prepare(sql);
      (statement as ArrayStatement).setReturnArrays(true);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}
