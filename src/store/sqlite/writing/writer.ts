import type { ProjectionKey } from "../../../model/projection.ts";
import type { Chunk, ChunkRequest } from "../../api/chunk.ts";
import { done, type Outcome } from "../../api/outcome.ts";
import { RecentTerms } from "../../core/recent_terms.ts";
import type { StoreState } from "../../api/state.ts";
import type { FoundProjection, OpenedStore } from "../../api/store.ts";
import type { AttemptResult, StoreWrite, WriteResult } from "../../api/write.ts";
import { openForWriting } from "../connection/connection.ts";
import type { Database } from "../connection/database.ts";
import { createDatabase } from "../data_directory/create_database.ts";
import { checkDatabaseFile, rejectSecondName } from "../data_directory/database_file.ts";
import { type KnownFile, StoreFiles } from "../data_directory/store_files.ts";
import { CheckBudget, OverBudget } from "../reading/check_budget.ts";
import { readChunk } from "../reading/read_chunk.ts";
import { deleteEvents } from "../tables/events.ts";
import { changeStoreId, readPausedSince, readState, writePausedSince } from "../tables/identity.ts";
import { deleteProjections, readProjection } from "../tables/projections.ts";
import type { Notify } from "../../../workers/notification.ts";
import { Checkpoints } from "./checkpoints.ts";
import type { NewEvents } from "./new_events.ts";
import { runTogether, runWrite } from "./run_write.ts";
import { Transactions } from "./transactions.ts";

/** How often an idle store checks its files. Every commit does so too. */
const LOOK_MILLISECONDS = 1000;

/** The write transactions of the store (see `StoreWriter`), on the only read-write connection. Runs in a worker. */
export class Writer {
  readonly opened: OpenedStore & { readonly files: readonly KnownFile[] };
  readonly #db: Database;
  readonly #tell: Notify;
  readonly #transactions: Transactions;
  readonly #checkpoints: Checkpoints;
  readonly #recent: RecentTerms;
  readonly #files: StoreFiles | undefined;
  #lookTimer: ReturnType<typeof setInterval> | undefined;
  #isPreserved = false;
  #committed: StoreState;
  /** The store as the open transaction sees it. */
  #state: StoreState;

  /** @param files the files that must stay in their places */
  constructor(db: Database, created: boolean, tell: Notify, files?: StoreFiles) {
    this.#db = db;
    this.#tell = tell;
    this.#files = files;
    this.#transactions = new Transactions(db, files);
    this.#checkpoints = new Checkpoints(db, this.#transactions, () => this.#tellOfTrouble(), tell);
    this.#committed = this.#state = readState(db);
    this.#recent = new RecentTerms(this.#state.head);
    const pausedSinceMicros = readPausedSince(db);
    this.opened = { ...this.#state, created, pausedSinceMicros, files: files?.all ?? [] };
  }

  /**
   * Opens the database, and creates it if it does not exist.
   * @throws StoreFileError
   */
  static open(path: string, tell: Notify): Writer {
    const created = !checkDatabaseFile(path);
    if (created) createDatabase(path);
    else rejectSecondName(path);
    const db = openForWriting(path);
    // The first read creates the -wal and -shm files, and fails when one of them cannot be written.
    readState(db);
    db.all("PRAGMA wal_checkpoint(NOOP)");
    const writer = new Writer(db, created, tell, new StoreFiles(path));
    writer.#lookTimer = setInterval(() => writer.#look(), LOOK_MILLISECONDS);
    writer.#checkpoints.awaitRest();
    return writer;
  }

  /**
   * Runs writes in one transaction, in order. If SQLite fails in the middle of it, they run again one by one,
   * so that the error is assigned to the write that caused it.
   */
  group(writes: readonly StoreWrite[]): readonly Outcome<AttemptResult>[] {
    let begun = false;
    const outcome = this.#turn(() => {
      begun = true;
      const budget = new CheckBudget();
      const run = (write: StoreWrite, newEvents: NewEvents) =>
        write.hasBudget ? this.#tryWrite(write, newEvents, budget) : this.#write(write, newEvents);
      return runTogether(this.#db, this.#state, writes, run);
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
    const run = (write: StoreWrite, newEvents: NewEvents) => this.#write(write, newEvents);
    return this.#inside(() => runTogether(this.#db, this.#state, [write], run)[0]!);
  }

  readChunkInside(request: ChunkRequest): Chunk {
    return this.#readInside(() => readChunk(this.#db, request));
  }

  readProjectionInside(key: ProjectionKey): FoundProjection {
    const { storeId } = this.#state;
    return this.#readInside(() => ({ storeId, projection: readProjection(this.#db, key) }));
  }

  commit(): Outcome<void> {
    if (!this.#db.inTransaction) return NO_TRANSACTION;
    const outcome = this.#transactions.commit();
    if (outcome.kind === "done") this.#committed = this.#state;
    else this.#forgetTransaction();
    return outcome;
  }

  rollback(): void {
    if (!this.#db.inTransaction) return;
    this.#transactions.rollback();
    this.#forgetTransaction();
  }

  /** Works after each answer, while the main thread already continues. */
  afterAnswer(): void {
    const { broken, lost } = this.#transactions;
    const isFree = broken === undefined && lost === undefined && !this.#db.inTransaction;
    if (isFree) this.#checkpoints.runWhenDue();
    this.#tellOfTrouble();
  }

  /** Leaves one file behind. A store that has lost a file stays as it is, open until the process ends. */
  close(): void {
    clearInterval(this.#lookTimer);
    this.rollback();
    // SQLite removes the -wal and -shm files by name, and they may belong to another database by now.
    if (this.#transactions.lookClosely()) {
      // Again, since the readers that may have been in the way are closed.
      this.#isPreserved = false;
      return this.#preserve();
    }
    this.#checkpoints.runLast();
    this.#db.close();
  }

  #look(): void {
    this.#transactions.lookClosely();
    this.#tellOfTrouble();
  }

  #tryWrite(write: StoreWrite, newEvents: NewEvents, budget: CheckBudget): AttemptResult {
    budget.beginWrite();
    try {
      return this.#write(write, newEvents, budget);
    } catch (error) {
      if (error instanceof OverBudget) return { kind: "overBudget" };
      throw error;
    }
  }

  #write(write: StoreWrite, newEvents: NewEvents, budget?: CheckBudget): WriteResult {
    const result = runWrite(this.#db, this.#recent, this.#state, write, newEvents, budget);
    if (result.kind === "written") {
      this.#state = { ...this.#state, head: this.#state.head + write.events.length };
    }
    return result;
  }

  /** Runs one whole transaction. */
  #turn<T>(work: () => T): Outcome<T> {
    const begun = this.#transactions.begin();
    if (begun.kind !== "done") return begun;
    const inside = this.#inside(work);
    if (inside.kind !== "done") return inside;
    const committed = this.commit();
    return committed.kind === "done" ? inside : committed;
  }

  /** Works inside the open transaction, which ends when the work fails. */
  #inside<T>(work: () => T): Outcome<T> {
    if (!this.#db.inTransaction) return NO_TRANSACTION;
    try {
      return done(work());
    } catch (error) {
      const failure = this.#transactions.abort(error);
      this.#forgetTransaction();
      return failure;
    }
  }

  #readInside<T>(read: () => T): T {
    const inside = this.#inside(read);
    if (inside.kind === "done") return inside.value;
    throw new Error(inside.reason);
  }

  #forgetTransaction(): void {
    this.#state = this.#committed;
    this.#recent.clear(this.#committed.head);
  }

  #tellOfTrouble(): void {
    const { broken, lost } = this.#transactions;
    if (broken !== undefined) this.#tell({ broken });
    if (lost === undefined) return;
    this.#preserve();
    this.#tell({ lost });
  }

  /**
   * Once a file is lost, the others do not change any more, so that the operator can copy them. The WAL is emptied
   * before that: its content belongs to this database, even if the file was moved. It would damage a file that takes
   * the old name.
   */
  #preserve(): void {
    if (this.#isPreserved) return;
    clearInterval(this.#lookTimer);
    this.#checkpoints.stop();
    if (this.#db.inTransaction) return;
    this.#isPreserved = true;
    if (!this.#files!.mayBeShared) this.#checkpoints.runLast();
  }
}

const NO_TRANSACTION: Outcome<never> = { kind: "failed", reason: "no turn is open" };
