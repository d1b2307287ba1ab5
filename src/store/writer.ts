import type { ProjectionKey } from "../model/projection.ts";
import { BUSY_TIMEOUT_MILLISECONDS } from "./connection.ts";
import type { Database } from "./database.ts";
import { deleteEvents } from "./events.ts";
import { changeStoreId, readState, type StoreState, writePausedSince } from "./identity.ts";
import { deleteProjections, readProjection, type StoredProjection } from "./projections.ts";
import { type Chunk, type ChunkRequest, readChunkInside } from "./read_chunk.ts";
import { RecentTerms } from "./recent_terms.ts";
import { runWrite, type StoreWrite, type WriteResult } from "./run_write.ts";
import { type TurnFailure, Turns } from "./turns.ts";

/** What became of one write. */
export type Verdict = WriteResult | TurnFailure;

/**
 * The writes of the store, on the only read-write connection. A turn is one transaction: one call that does all
 * of it, or `begin`, any number of calls inside of it, and `commit` or `rollback`.
 */
export class Writer {
  readonly #db: Database;
  readonly #turns: Turns;
  readonly #recent: RecentTerms;
  #committed: StoreState;
  #state: StoreState;

  constructor(db: Database) {
    this.#db = db;
    this.#turns = new Turns(db);
    this.#committed = this.#state = readState(db);
    this.#recent = new RecentTerms(this.#state.head);
  }

  /** Store ID and head, those of the open turn if there is one. */
  get state(): StoreState {
    return this.#state;
  }

  /** Why no turn can be taken any more, if so. */
  get broken(): string | undefined {
    return this.#turns.broken;
  }

  get inTurn(): boolean {
    return this.#db.inTransaction;
  }

  /**
   * Runs a group of writes in one transaction, in order. When SQLite fails in the middle of it, the members
   * run again one by one, so that the error belongs to the write that caused it.
   */
  group(writes: readonly StoreWrite[]): Verdict[] {
    let begun = false;
    const turn = this.#turn(() => {
      begun = true;
      return writes.map((write) => this.#write(write));
    });
    if (turn.kind === "done") return turn.result;
    if (begun && turn.kind === "failed" && writes.length > 1) {
      return writes.flatMap((write) => this.group([write]));
    }
    return writes.map(() => turn);
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

  /** Opens a turn that stays open until it is committed or rolled back, or a call inside of it fails. */
  begin(): TurnFailure | undefined {
    return this.#turns.begin();
  }

  /** Runs a write inside the open turn; a conflict leaves the turn as it is. */
  writeInside(write: StoreWrite): Verdict {
    const inside = this.#inside(() => this.#write(write));
    return inside.kind === "done" ? inside.result : inside;
  }

  /** Reads a chunk of what the open turn sees. @throws Error when the read failed, which ends the turn */
  readChunkInside(request: ChunkRequest): Chunk {
    return this.#readInside(() => readChunkInside(this.#db, request));
  }

  /** Reads a projection as the open turn sees it. Throws like `readChunkInside`. */
  readProjectionInside(key: ProjectionKey): StoredProjection | undefined {
    return this.#readInside(() => readProjection(this.#db, key));
  }

  commit(): TurnFailure | undefined {
    if (!this.inTurn) return NO_TURN;
    const failure = this.#turns.commit();
    if (failure === undefined) this.#committed = this.#state;
    else this.#forgetTurn();
    return failure;
  }

  /** Undoes the open turn, if there is one. */
  rollback(): void {
    if (!this.inTurn) return;
    this.#turns.rollback();
    this.#forgetTurn();
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
      this.#turns.note(error, "checkpoint");
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

  /** One whole turn. */
  #turn<T>(work: () => T): Done<T> | TurnFailure {
    const refused = this.#turns.begin();
    if (refused !== undefined) return refused;
    const inside = this.#inside(work);
    if (inside.kind !== "done") return inside;
    return this.commit() ?? inside;
  }

  /** Works inside the open turn, which ends when that fails. */
  #inside<T>(work: () => T): Done<T> | TurnFailure {
    if (!this.inTurn) return NO_TURN;
    try {
      return { kind: "done", result: work() };
    } catch (error) {
      const failure = this.#turns.abort(error);
      this.#forgetTurn();
      return failure;
    }
  }

  #readInside<T>(read: () => T): T {
    const inside = this.#inside(read);
    if (inside.kind === "done") return inside.result;
    throw new Error(inside.reason);
  }

  #forgetTurn(): void {
    this.#state = this.#committed;
    this.#recent.clear(this.#committed.head);
  }
}

interface Done<T> {
  readonly kind: "done";
  readonly result: T;
}

const NO_TURN: TurnFailure = { kind: "failed", reason: "no turn is open" };

function failureOf(turn: Done<unknown> | TurnFailure): TurnFailure | undefined {
  return turn.kind === "done" ? undefined : turn;
}
