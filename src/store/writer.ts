import { BUSY_TIMEOUT_MILLISECONDS } from "./connection.ts";
import { type Database, SqlCode, sqlCodeOf } from "./database.ts";
import { deleteEvents } from "./events.ts";
import { changeStoreId, readState, type StoreState, writePausedSince } from "./identity.ts";
import { deleteProjections } from "./projections.ts";
import { RecentTerms } from "./recent_terms.ts";
import { runWrite, type StoreWrite, type WriteResult } from "./run_write.ts";

/**
 * How a turn ended without its result. `failed`: certain that nothing was written. `unknown`: a COMMIT
 * failed, and so did the fence after it, so only the next start can tell.
 */
export interface TurnFailure {
  readonly kind: "failed" | "unknown";
  readonly reason: string;
}

/** `begun`: the transaction had begun, so that the failure may be the fault of what it did. */
type BegunFailure = TurnFailure & { readonly begun: boolean };

/** What became of one write of a group. */
export type Verdict = WriteResult | TurnFailure;

/** Errors after which the file can't be trusted with another write until a restart has recovered it. */
const BREAKING: ReadonlySet<number | undefined> = new Set([
  SqlCode.ioError,
  SqlCode.corrupt,
  SqlCode.notADatabase,
]);

/** The writes of the store. Each turn is one transaction on the only read-write connection. */
export class Writer {
  readonly #db: Database;
  readonly #recent: RecentTerms;
  #state: StoreState;
  #broken: string | undefined;
  /** Set by a full disk: a fence must commit before the next turn is tried. */
  #mustFence = false;

  constructor(db: Database) {
    this.#db = db;
    this.#state = readState(db);
    this.#recent = new RecentTerms(this.#state.head);
  }

  /** Store ID and head as of the last commit. */
  get state(): StoreState {
    return this.#state;
  }

  /** Why no turn can be taken any more, if so. */
  get broken(): string | undefined {
    return this.#broken;
  }

  /**
   * Runs a group of writes in one transaction, in order. When SQLite fails in the middle of it, the members
   * run again one by one, so that the error belongs to the write that caused it.
   */
  group(writes: readonly StoreWrite[]): Verdict[] {
    const turn = this.#turn(() => writes.map((write) => this.#write(write)));
    if (turn.kind === "done") return turn.result;
    if (turn.begun && turn.kind === "failed" && writes.length > 1) {
      return writes.flatMap((write) => this.group([write]));
    }
    const { kind, reason } = turn;
    return writes.map(() => ({ kind, reason }));
  }

  /** Deletes the projections of one type, or all of them. */
  deleteProjections(type: string | undefined): TurnFailure | undefined {
    return failureOf(this.#turn(() => deleteProjections(this.#db, type)));
  }

  /** Starts a new, empty history with its own store ID. */
  reset(): TurnFailure | undefined {
    return failureOf(this.#turn(() => {
      deleteEvents(this.#db);
      deleteProjections(this.#db, undefined);
      this.#state = { storeId: crypto.randomUUID(), head: 0 };
      changeStoreId(this.#db, this.#state.storeId);
      this.#recent.clear(0);
    }));
  }

  /** Keeps, or ends, a pause that survives a restart. */
  setPaused(sinceMicros: number | undefined): TurnFailure | undefined {
    return failureOf(this.#turn(() => writePausedSince(this.#db, sinceMicros)));
  }

  /** Refreshes the statistics of the query planner. */
  optimize(): TurnFailure | undefined {
    return failureOf(this.#turn(() => void this.#db.all("PRAGMA optimize")));
  }

  /** Pages in the WAL, and how many of them are not in the database file yet. */
  get walPages(): { readonly total: number; readonly pending: number } {
    const [, total = 0, checkpointed = 0] = this.#db.get("PRAGMA wal_checkpoint(NOOP)") as number[];
    return { total, pending: total - checkpointed };
  }

  /**
   * Moves the WAL into the database file. PASSIVE goes as far as readers allow; the others wait for readers,
   * at most `waitMilliseconds`, and let the WAL start again at its beginning.
   */
  checkpoint(mode: "PASSIVE" | "RESTART" | "TRUNCATE", waitMilliseconds: number): void {
    try {
      this.#db.all(`PRAGMA busy_timeout = ${waitMilliseconds}`);
      this.#db.all(`PRAGMA wal_checkpoint(${mode})`);
    } catch (error) {
      this.#note(error, "checkpoint");
    } finally {
      this.#db.all(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MILLISECONDS}`);
    }
  }

  #write(write: StoreWrite): WriteResult {
    const result = runWrite(this.#db, this.#recent, this.#state, write);
    if (result.kind === "committed") {
      this.#state = { ...this.#state, head: this.#state.head + write.events.length };
    }
    return result;
  }

  #turn<T>(work: () => T): { readonly kind: "done"; readonly result: T } | BegunFailure {
    if (this.#broken !== undefined) return { kind: "failed", reason: this.#broken, begun: false };
    if (this.#mustFence && !this.#fence()) {
      return { kind: "failed", reason: "the disk is full", begun: false };
    }
    const before = this.#state;
    let step: "begin" | "work" | "commit" = "begin";
    try {
      this.#db.run("BEGIN IMMEDIATE");
      step = "work";
      const result = work();
      step = "commit";
      this.#db.run("COMMIT");
      return { kind: "done", result };
    } catch (error) {
      this.#rollback();
      this.#state = before;
      this.#recent.clear(before.head);
      const reason = step === "commit" ? this.#note(error, "COMMIT") : this.#noteStatement(error);
      // A live SQLite may report a failed COMMIT that a restart then finds in the WAL. Another commit over it
      // makes the failure true.
      const certain = step !== "commit" || this.#fence();
      return { kind: certain ? "failed" : "unknown", reason, begun: step !== "begin" };
    }
  }

  /** A tiny transaction that overwrites whatever a failed COMMIT left in the WAL. */
  #fence(): boolean {
    try {
      this.#db.run("BEGIN IMMEDIATE");
      this.#db.run("UPDATE store SET fence = fence + 1");
      this.#db.run("COMMIT");
      this.#mustFence = false;
      return true;
    } catch (error) {
      this.#rollback();
      this.#note(error, "fence");
      return false;
    }
  }

  #rollback(): void {
    try {
      if (this.#db.inTransaction) this.#db.run("ROLLBACK");
    } catch (error) {
      this.#broken = `ROLLBACK failed: ${(error as Error).message}`;
    }
  }

  /** Draws the consequences of an error in a COMMIT, fence or checkpoint. */
  #note(error: unknown, where: string): string {
    const reason = `${where} failed: ${(error as Error).message}`;
    const code = sqlCodeOf(error);
    if (code === SqlCode.full) this.#mustFence = true;
    else if (BREAKING.has(code) || where === "fence") this.#broken ??= reason;
    return reason;
  }

  /** An error before the COMMIT is certain: the rollback has undone all of it. */
  #noteStatement(error: unknown): string {
    if (sqlCodeOf(error) === SqlCode.full) this.#mustFence = true;
    return (error as Error).message;
  }
}

function failureOf(turn: { readonly kind: "done" } | TurnFailure): TurnFailure | undefined {
  return turn.kind === "done" ? undefined : { kind: turn.kind, reason: turn.reason };
}
