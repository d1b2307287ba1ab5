import type { ProjectionKey } from "../../../model/projection.ts";
import type { Chunk, ChunkRequest } from "../../chunk.ts";
import { done, type Outcome } from "../../outcome.ts";
import { RecentTerms } from "../../recent_terms.ts";
import type { StoreState } from "../../state.ts";
import type { FoundProjection, OpenedStore } from "../../store.ts";
import type { StoreWrite, WriteResult } from "../../write.ts";
import { openForWriting } from "../connection/connection.ts";
import type { Database } from "../connection/database.ts";
import { createDatabase } from "../data_directory/create_database.ts";
import { checkDatabaseFile, refuseSecondName } from "../data_directory/database_file.ts";
import { readChunk } from "../reading/read_chunk.ts";
import { deleteEvents } from "../tables/events.ts";
import { changeStoreId, readPausedSince, readState, writePausedSince } from "../tables/identity.ts";
import { deleteProjections, readProjection } from "../tables/projections.ts";
import type { Tell } from "../workers/notice.ts";
import { Checkpoints } from "./checkpoints.ts";
import { runWrite } from "./run_write.ts";
import { Transactions } from "./transactions.ts";

/** The turns of the store (see `StoreTurns`), on the only read-write connection. Lives in a worker. */
export class Writer {
  readonly opened: OpenedStore;
  readonly #db: Database;
  readonly #tell: Tell;
  readonly #transactions: Transactions;
  readonly #checkpoints: Checkpoints;
  readonly #recent: RecentTerms;
  #committed: StoreState;
  /** As the open turn sees the store. */
  #state: StoreState;

  constructor(db: Database, created: boolean, tell: Tell) {
    this.#db = db;
    this.#tell = tell;
    this.#transactions = new Transactions(db);
    this.#checkpoints = new Checkpoints(db, this.#transactions, () => this.#tellIfBroken());
    this.#committed = this.#state = readState(db);
    this.#recent = new RecentTerms(this.#state.head);
    this.opened = { ...this.#state, created, pausedSinceMicros: readPausedSince(db) };
  }

  /** Opens the database, creating it if it does not exist. @throws StoreFileError */
  static open(path: string, tell: Tell): Writer {
    const created = !checkDatabaseFile(path);
    if (created) createDatabase(path);
    else refuseSecondName(path);
    return new Writer(openForWriting(path), created, tell);
  }

  /**
   * Runs writes in one transaction, in order. If SQLite fails in the middle of it, they run again one by one,
   * so that the error is assigned to the write that caused it.
   */
  group(writes: readonly StoreWrite[]): readonly Outcome<WriteResult>[] {
    let begun = false;
    const outcome = this.#turn(() => {
      begun = true;
      return writes.map((write) => this.#write(write));
    });
    if (outcome.kind === "done") return outcome.value.map(done);
    if (begun && outcome.kind === "failed" && writes.length > 1) {
      return writes.flatMap((write) => this.group([write]));
    }
    return writes.map(() => outcome);
  }

  deleteProjections(type: string | undefined): Outcome<void> {
    return this.#turn(() => deleteProjections(this.#db, type));
  }

  reset(): Outcome<void> {
    const storeId = crypto.randomUUID();
    const outcome = this.#turn(() => {
      deleteEvents(this.#db);
      deleteProjections(this.#db, undefined);
      changeStoreId(this.#db, storeId);
      this.#state = { storeId, head: 0 };
      this.#recent.clear(0);
    });
    if (outcome.kind === "done") this.#tell({ storeId });
    return outcome;
  }

  setPaused(sinceMicros: number | undefined): Outcome<StoreState> {
    return this.#turn(() => {
      writePausedSince(this.#db, sinceMicros);
      return this.#state;
    });
  }

  optimize(): Outcome<void> {
    return this.#turn(() => void this.#db.all("PRAGMA optimize"));
  }

  begin(): Outcome<void> {
    return this.#transactions.begin();
  }

  writeInside(write: StoreWrite): Outcome<WriteResult> {
    return this.#inside(() => this.#write(write));
  }

  readChunkInside(request: ChunkRequest): Chunk {
    return this.#readInside(() => readChunk(this.#db, request));
  }

  readProjectionInside(key: ProjectionKey): FoundProjection {
    const { storeId } = this.#state;
    return this.#readInside(() => ({ storeId, projection: readProjection(this.#db, key) }));
  }

  commit(): Outcome<void> {
    if (!this.#db.inTransaction) return NO_TURN;
    const outcome = this.#transactions.commit();
    if (outcome.kind === "done") this.#committed = this.#state;
    else this.#forgetTurn();
    return outcome;
  }

  rollback(): void {
    if (!this.#db.inTransaction) return;
    this.#transactions.rollback();
    this.#forgetTurn();
  }

  /** Work to do after each answer, while the main thread already continues. */
  afterAnswer(): void {
    const isBetweenTurns = this.#transactions.broken === undefined && !this.#db.inTransaction;
    if (isBetweenTurns) this.#checkpoints.runWhenDue();
    this.#tellIfBroken();
  }

  close(): void {
    this.rollback();
    this.#checkpoints.runLast();
    this.#db.close();
  }

  #write(write: StoreWrite): WriteResult {
    const result = runWrite(this.#db, this.#recent, this.#state, write);
    if (result.kind === "written") {
      this.#state = { ...this.#state, head: this.#state.head + write.events.length };
    }
    return result;
  }

  /** One whole turn. */
  #turn<T>(work: () => T): Outcome<T> {
    const begun = this.#transactions.begin();
    if (begun.kind !== "done") return begun;
    const inside = this.#inside(work);
    if (inside.kind !== "done") return inside;
    const committed = this.commit();
    return committed.kind === "done" ? inside : committed;
  }

  /** Works inside the open turn, which ends when that fails. */
  #inside<T>(work: () => T): Outcome<T> {
    if (!this.#db.inTransaction) return NO_TURN;
    try {
      return done(work());
    } catch (error) {
      const failure = this.#transactions.abort(error);
      this.#forgetTurn();
      return failure;
    }
  }

  #readInside<T>(read: () => T): T {
    const inside = this.#inside(read);
    if (inside.kind === "done") return inside.value;
    throw new Error(inside.reason);
  }

  #forgetTurn(): void {
    this.#state = this.#committed;
    this.#recent.clear(this.#committed.head);
  }

  #tellIfBroken(): void {
    const { broken } = this.#transactions;
    if (broken !== undefined) this.#tell({ broken });
  }
}

const NO_TURN: Outcome<never> = { kind: "failed", reason: "no turn is open" };
