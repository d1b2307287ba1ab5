import type { ProjectionKey } from "../../../model/projection.ts";
import type { Chunk, ChunkRequest } from "../../api/chunk.ts";
import { done, type Failure, type Outcome } from "../../api/outcome.ts";
import { RecentTerms } from "../../core/recent_terms.ts";
import { MasterKeys, NO_MASTER_KEYS } from "../../core/sealing/master_keys.ts";
import type { StoreState } from "../../api/state.ts";
import type { FoundProjection, OpenedStore, StoreNotice } from "../../api/store.ts";
import type { AttemptResult, StoreWrite, WriteResult } from "../../api/write.ts";
import { openForWriting } from "../connection/connection.ts";
import type { Database } from "../connection/database.ts";
import { createDatabase } from "../data_directory/create_database.ts";
import { checkDatabaseFile, rejectSecondName } from "../data_directory/database_file.ts";
import { rejectMoved } from "../data_directory/moved_mark.ts";
import { removeUnfinished } from "../data_directory/new_database_file.ts";
import { type KnownFile, StoreFiles } from "../data_directory/store_files.ts";
import { CheckBudget } from "../reading/check_budget.ts";
import { readChunk } from "../reading/read_chunk.ts";
import { deleteEvents } from "../tables/events.ts";
import { changeStoreId, readPausedSince, readState, writePausedSince } from "../tables/identity.ts";
import { leaveBackup } from "../tables/origin.ts";
import { deleteProjections, readProjection } from "../tables/projections.ts";
import { Checkpoints } from "./checkpoints.ts";
import { KeyWrapping } from "./key_wrapping.ts";
import { SubjectKeys } from "./subject_keys.ts";
import { StoreWatch } from "./store_watch.ts";
import { TransactionRunner } from "./transaction_runner.ts";
import { WriteTransaction } from "./write_transaction.ts";

/** An event for the main thread. A reset has given the store a new ID, or writes were committed without an answer. */
export type WriterEvent =
  | StoreNotice
  | { readonly kind: "reset"; readonly storeId: string }
  | { readonly kind: "unanswered"; readonly head: number };

/** The write transactions of the store (see `StoreWriter`), on the only read-write connection. Runs in a worker. */
export class Writer {
  readonly opened: OpenedStore & { readonly files: readonly KnownFile[] };
  readonly #db: Database;
  readonly #report: (event: WriterEvent) => void;
  readonly #transactions: TransactionRunner;
  readonly #checkpoints: Checkpoints;
  readonly #watch: StoreWatch;
  readonly #recent: RecentTerms;
  readonly #keys: SubjectKeys | undefined;
  readonly #wrapping: KeyWrapping | undefined;
  #committed: StoreState;
  /** The store as the open transaction sees it. */
  #state: StoreState;

  /**
   * @param files the files that must stay in their places
   * @param subjects the names of identifiers that stand for a person
   */
  constructor(
    db: Database,
    created: boolean,
    report: (event: WriterEvent) => void,
    files?: StoreFiles,
    subjects: readonly string[] = [],
    masters: MasterKeys = NO_MASTER_KEYS,
  ) {
    this.#db = db;
    this.#keys = SubjectKeys.of(db, subjects, masters);
    this.#report = report;
    this.#transactions = new TransactionRunner(db, files);
    this.#checkpoints = new Checkpoints(db, this.#transactions, () => this.#watch.reportTrouble(), report);
    this.#watch = new StoreWatch(db, this.#transactions, this.#checkpoints, files, report);
    this.#wrapping = this.#keys &&
      new KeyWrapping(db, this.#keys, this.#transactions, this.#checkpoints, report);
    this.#committed = this.#state = readState(db);
    this.#recent = new RecentTerms(this.#state.head);
    const pausedSinceMicros = readPausedSince(db);
    this.opened = { ...this.#state, created, pausedSinceMicros, files: files?.all ?? [] };
  }

  /**
   * Opens the database, and creates it if it does not exist.
   * @param subjects the names of identifiers that stand for a person
   * @param masterKeys those that wrap the keys of subjects, in Base64
   * @throws StoreFileError
   */
  static open(
    path: string,
    subjects: readonly string[],
    masterKeys: readonly string[],
    report: (event: WriterEvent) => void,
  ): Writer {
    const created = !checkDatabaseFile(path);
    if (created) createDatabase(path);
    else rejectSecondName(path);
    removeUnfinished(path);
    const db = openForWriting(path);
    // The first read creates the -wal and -shm files, and fails when one of them cannot be written.
    rejectMoved(path, readState(db).storeId);
    db.all("PRAGMA wal_checkpoint(NOOP)");
    leaveBackup(db);
    const masters = new MasterKeys(masterKeys);
    const writer = new Writer(db, created, report, new StoreFiles(path), subjects, masters);
    writer.#watch.start();
    writer.#checkpoints.awaitRest();
    // A server that was killed while it forgot a subject may have left the destroyed key in the WAL.
    if (subjects.length > 0) writer.#checkpoints.emptyWal();
    writer.#wrapping?.start();
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
      return this.#write(writes, new CheckBudget());
    });
    if (outcome.kind === "done") return this.#withoutTraces(writes, outcome.value.map(done));
    if (begun && outcome.kind === "failed" && writes.length > 1) {
      return writes.flatMap((write) => this.group([write]));
    }
    return writes.map(() => outcome);
  }

  /**
   * Removes what a forgotten key has left in the WAL. It is destroyed in the file by then, but nothing else overwrites
   * the WAL soon.
   */
  #withoutTraces(
    writes: readonly StoreWrite[],
    outcomes: readonly Outcome<AttemptResult>[],
  ): readonly Outcome<AttemptResult>[] {
    const forgets = writes.some(({ forget }) => forget !== undefined);
    if (!forgets || this.#checkpoints.emptyWal()) return outcomes;
    const left = keyLeft(this.#checkpoints.failure);
    // The client gets no answer, so the log is where the reason is looked for.
    this.#report({ kind: "keyInWal", reason: left.reason });
    // Clients that wait for the events get them.
    this.#report({ kind: "unanswered", head: this.#committed.head });
    return outcomes.map((outcome, i) => writes[i]!.forget === undefined ? outcome : left);
  }

  deleteProjections(type: string | undefined): Outcome<void> {
    return this.#turn(() => deleteProjections(this.#db, type));
  }

  reset(): Outcome<void> {
    const storeId = crypto.randomUUID();
    const outcome = this.#turn(() => {
      deleteEvents(this.#db);
      this.#keys?.deleteAll();
      deleteProjections(this.#db, undefined);
      changeStoreId(this.#db, storeId);
      this.#state = { storeId, head: 0 };
      this.#recent.clear(0);
    });
    if (outcome.kind === "done") this.#report({ kind: "reset", storeId });
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
    return this.#inside(() => this.#write([write])[0] as WriteResult);
  }

  readChunkInside(request: ChunkRequest): Chunk {
    return this.#readInside(() => readChunk(this.#db, request, this.#keys?.masters ?? false));
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
    this.#watch.reportTrouble();
  }

  /** Leaves one file behind. A store that has lost a file stays as it is, open until the process ends. */
  close(): void {
    this.#wrapping?.stop();
    this.rollback();
    if (!this.#watch.close()) return;
    this.#checkpoints.runLast();
    this.#db.close();
  }

  #write(writes: readonly StoreWrite[], budget?: CheckBudget): readonly AttemptResult[] {
    const transaction = new WriteTransaction(this.#db, this.#recent, this.#state, this.#keys, budget);
    const results = writes.map((write) => transaction.apply(write));
    this.#state = transaction.end();
    return results;
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
    this.#keys?.clear();
    this.#recent.clear(this.#committed.head);
  }
}

/** The key is destroyed, and the events are written. A client that repeats the request learns when the WAL is empty. */
function keyLeft(reason = "another program has been reading the database for long"): Failure {
  return { kind: "unknown", reason: `a forgotten key is still in the WAL: ${reason}`, cause: "keyLeft" };
}

const NO_TRANSACTION: Outcome<never> = { kind: "failed", reason: "no transaction is open" };
