import { done, type Failure, type Outcome } from "../../outcome.ts";
import { type Database, SqlCode, sqlCodeOf } from "../connection/database.ts";

/** Errors after which the file cannot be trusted with another write until a restart has recovered it. */
const BREAKING: ReadonlySet<number | undefined> = new Set([
  SqlCode.ioError,
  SqlCode.corrupt,
  SqlCode.notADatabase,
]);

/** The transactions of the only read-write connection, one at a time, and what their errors mean. */
export class Transactions {
  readonly #db: Database;
  #broken: string | undefined;
  /** Set by a full disk, or when a fence found the file locked: one must commit before the next transaction. */
  #mustFence = false;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Why no more transactions are possible, if so. */
  get broken(): string | undefined {
    return this.#broken;
  }

  begin(): Outcome<void> {
    if (this.#broken !== undefined) return { kind: "failed", reason: this.#broken };
    try {
      if (this.#mustFence) this.#fence();
      this.#db.run("BEGIN IMMEDIATE");
      return done(undefined);
    } catch (error) {
      return this.abort(error);
    }
  }

  commit(): Outcome<void> {
    try {
      this.#db.run("COMMIT");
      return done(undefined);
    } catch (error) {
      this.rollback();
      const reason = this.note(error, "COMMIT");
      // A live SQLite may report a failed COMMIT that a restart then finds in the WAL. Another commit over it
      // makes the failure true.
      return { kind: this.#isFenced() ? "failed" : "unknown", reason };
    }
  }

  /** Ends a transaction in which a statement failed. That is certain: the rollback undoes all of it. */
  abort(error: unknown): Failure {
    this.rollback();
    const code = sqlCodeOf(error);
    if (code === SqlCode.busy) {
      return { kind: "failed", reason: "another process has locked the database", code: "Unavailable" };
    }
    if (code === SqlCode.full) this.#mustFence = true;
    return { kind: "failed", reason: (error as Error).message };
  }

  rollback(): void {
    try {
      if (this.#db.inTransaction) this.#db.run("ROLLBACK");
    } catch (error) {
      this.#broken = `ROLLBACK failed: ${(error as Error).message}`;
    }
  }

  /** Acts on an error in a COMMIT, fence or checkpoint. @returns the error in words */
  note(error: unknown, where: string): string {
    const reason = `${where} failed: ${(error as Error).message}`;
    const code = sqlCodeOf(error);
    if (code === SqlCode.full || code === SqlCode.busy) this.#mustFence = true;
    else if (BREAKING.has(code) || where === "fence") this.#broken ??= reason;
    return reason;
  }

  /**
   * A tiny transaction that overwrites whatever a failed COMMIT left in the WAL.
   * @throws whatever SQLite throws
   */
  #fence(): void {
    try {
      this.#db.run("BEGIN IMMEDIATE");
      this.#db.run("UPDATE store SET fence = fence + 1");
      this.#db.run("COMMIT");
      this.#mustFence = false;
    } catch (error) {
      this.rollback();
      this.note(error, "fence");
      throw error;
    }
  }

  #isFenced(): boolean {
    try {
      this.#fence();
      return true;
    } catch {
      return false;
    }
  }
}
