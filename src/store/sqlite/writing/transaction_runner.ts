import { done, type Failure, type FailureCause, type Outcome } from "../../api/outcome.ts";
import { type Database, SqlCode, sqlCodeOf } from "../connection/database.ts";
import { lossOf, type StoreFiles } from "../data_directory/store_files.ts";

/** Errors after which the file cannot be trusted with another write until a restart has recovered it. */
const BREAKING: ReadonlySet<number | undefined> = new Set([
  SqlCode.ioError,
  SqlCode.corrupt,
  SqlCode.notADatabase,
]);

/** Runs the transactions of the only read-write connection, one at a time, and interprets their errors. */
export class TransactionRunner {
  readonly #db: Database;
  readonly #files: StoreFiles | undefined;
  #broken: string | undefined;
  #lost: string | undefined;
  /** Set by a full disk or a locked file: a fence must commit before the next transaction. */
  #mustFence = false;

  /** @param files the files that must be in their places for a commit to count */
  constructor(db: Database, files?: StoreFiles) {
    this.#db = db;
    this.#files = files;
  }

  /** The reason why no more transactions are possible, if any. */
  get broken(): string | undefined {
    return this.#broken;
  }

  /** The first file of the store that was found deleted or replaced, if any. It stays lost even if it returns. */
  get lost(): string | undefined {
    return this.#lost;
  }

  /**
   * Checks the files of the store, if their directory has changed.
   * @returns whether one is lost
   */
  look(which: "all" | "written" = "all"): boolean {
    if (this.#files !== undefined) this.#lost ??= this.#files.loss(which);
    return this.#lost !== undefined;
  }

  /** Checks each file, even if their directory has not changed. */
  lookClosely(): boolean {
    if (this.#files !== undefined) this.#lost ??= lossOf(this.#files.all);
    return this.#lost !== undefined;
  }

  begin(): Outcome<void> {
    if (this.#broken !== undefined) return { kind: "failed", reason: this.#broken, cause: "diskError" };
    if (this.#lost !== undefined) return unavailable(this.#lost, "lostFiles");
    try {
      if (this.#mustFence) this.#fence();
      this.#db.run("BEGIN IMMEDIATE");
      return done(undefined);
    } catch (error) {
      return this.abort(error);
    }
  }

  commit(): Outcome<void> {
    if (this.look()) {
      this.rollback();
      return unavailable(this.#lost!, "lostFiles");
    }
    try {
      this.#db.run("COMMIT");
      // It was written to the file that was in its place a moment ago. It is unknown whether that file will ever be
      // read.
      if (!this.look("written")) return done(undefined);
      return { kind: "unknown", reason: this.#lost!, cause: "lostFiles" };
    } catch (error) {
      this.rollback();
      const reason = this.note(error, "COMMIT");
      // A live SQLite may report a failed COMMIT that a restart then finds in the WAL. Another commit over it
      // makes the failure true.
      return { kind: this.#isFenced() ? "failed" : "unknown", reason, ...causeOf(error) };
    }
  }

  /**
   * Ends a transaction in which a statement failed. The failure is certain: the rollback undoes the whole
   * transaction.
   */
  abort(error: unknown): Failure {
    this.rollback();
    const code = sqlCodeOf(error);
    if (code === SqlCode.busy) return unavailable("another process has locked the database", "locked");
    if (code === SqlCode.full) this.#mustFence = true;
    return { kind: "failed", reason: (error as Error).message, ...causeOf(error) };
  }

  rollback(): void {
    try {
      if (this.#db.inTransaction) this.#db.run("ROLLBACK");
    } catch (error) {
      this.#broken = `ROLLBACK failed: ${(error as Error).message}`;
    }
  }

  /**
   * Acts on an error in a COMMIT, fence or checkpoint.
   * @returns the error in words
   */
  note(error: unknown, where: string): string {
    const reason = `${where} failed: ${(error as Error).message}`;
    const code = sqlCodeOf(error);
    if (code === SqlCode.full || code === SqlCode.busy) this.#mustFence = true;
    else if (BREAKING.has(code) || where === "fence") this.#broken ??= reason;
    return reason;
  }

  /**
   * A tiny transaction that overwrites the frames that a failed COMMIT left in the WAL.
   * @throws any error of SQLite
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

function unavailable(reason: string, cause: FailureCause): Failure {
  return { kind: "failed", reason, code: "Unavailable", cause };
}

/** Returns the cause of an error of SQLite, and the code for its answer; nothing for an error that says little. */
function causeOf(error: unknown): Pick<Failure, "cause" | "code"> {
  const code = sqlCodeOf(error);
  if (code === SqlCode.full) return { cause: "diskFull", code: "DiskFull" };
  if (code === SqlCode.busy) return { cause: "locked" };
  return BREAKING.has(code) ? { cause: "diskError" } : {};
}
