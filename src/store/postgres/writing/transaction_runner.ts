import { done, type Failure, type Outcome } from "../../api/outcome.ts";
import type { StoreState } from "../../api/state.ts";
import type { CommittedEvent } from "../../feed/commit_feed.ts";
import { MustNotWrite, type WriteOwnership } from "../cluster/write_ownership.ts";
import type { Row } from "../protocol/cells.ts";
import { DatabaseError, SessionLost } from "../protocol/errors.ts";
import type { Session, Statement } from "../protocol/session.ts";
import { readRemoteCommits, remoteCommitsIn } from "../tables/remote_commits.ts";
import { LOCK_STORE, READ_STATE, storeRow, writeStoreId } from "../tables/state.ts";
import { addTurn, type LastTransaction } from "../tables/turns.ts";
import { failureOf } from "./failures.ts";
import { wasCommitted } from "./lost_transaction.ts";
import type { WriterSession } from "./writer_session.ts";
import type { WriterState } from "./writer_state.ts";

const BEGIN: Statement = { sql: "BEGIN" };
const COMMIT: Statement = { sql: "COMMIT" };

/** Statements that process whole tables may take this long. */
const LONG_MILLISECONDS = 3_600_000;

const NO_TRANSACTION: Failure = { kind: "failed", reason: "no transaction is open" };

interface TransactionsOptions {
  readonly onBroken: (reason: string) => void;
  /** Called after each write transaction that has written. */
  readonly onWritten: () => void;
}

/** The results at the beginning of a write transaction. */
export interface TransactionBegin {
  readonly answers: Row[][];
  /** Events that other servers had committed, after the last one that this server knew when it asked. */
  readonly remoteCommits: readonly CommittedEvent[];
  /** True when the store is not the one that the questions assumed. Then the answers say little. */
  readonly isOther: boolean;
  /** True when others have written since the last write transaction of this server. */
  readonly othersWrote: boolean;
}

/** The end of a write transaction: the statements that remain, and the resulting store. */
export interface TransactionEnd {
  readonly statements: readonly Statement[];
  readonly state: StoreState;
  /** True when the transaction has written nothing at all. */
  readonly isEmpty?: boolean;
  /** True when it may take as long as it needs. */
  readonly isLong?: boolean;
}

/** Runs the write transactions of this server, one at a time, and interprets their errors. */
export class TransactionRunner {
  readonly state: WriterState;
  readonly #writer: WriterSession;
  readonly #ownership: WriteOwnership;
  readonly #options: TransactionsOptions;
  /** The session of the last write transaction. */
  #last: Session;
  #open: Session | undefined;
  #broken: string | undefined;

  constructor(
    writer: WriterSession,
    ownership: WriteOwnership,
    state: WriterState,
    options: TransactionsOptions,
  ) {
    this.#writer = writer;
    this.#last = writer.session;
    this.#ownership = ownership;
    this.state = state;
    this.#options = options;
    writer.onReplaced = (reason) => this.#break(reason);
  }

  /**
   * Begins a write transaction, and sends questions together with the lock.
   * @param ask called just before the questions are sent
   */
  async begin(ask: () => readonly Statement[] = () => []): Promise<Outcome<TransactionBegin>> {
    if (this.#broken !== undefined) return failureOf(new MustNotWrite(this.#broken));
    let session: Session | undefined;
    try {
      session = await this.#writer.ready();
      // The new session may reach another PostgreSQL, where others have changed what this server remembers.
      if (session !== this.#last) this.state.forget();
      this.#last = session;
      const [, , rows, newRows, ...answers] = await session.run([
        BEGIN,
        LOCK_STORE,
        READ_STATE,
        readRemoteCommits(this.state.committed.head),
        ...ask(),
      ]);
      const row = storeRow(rows!);
      this.#ownership.check(row);
      this.#ownership.primary.saw(session, row);
      const remoteCommits = remoteCommitsIn(newRows!);
      const othersWrote = row.turn.name !== this.state.committed.turn.name;
      const isOther = this.state.follow(row, remoteCommits);
      this.#open = session;
      return done({ answers, remoteCommits, isOther, othersWrote });
    } catch (error) {
      return await this.#abort(error, session);
    }
  }

  /** Works inside the open write transaction, which is aborted when the work fails. */
  async inside<T>(work: (session: Session) => Promise<T>): Promise<Outcome<T>> {
    const session = this.#open;
    if (session === undefined) return NO_TRANSACTION;
    try {
      return done(await work(session));
    } catch (error) {
      return await this.#abort(error, session);
    }
  }

  /** Does the last work of a write transaction and commits it. */
  async end(work: (session: Session) => Promise<TransactionEnd>): Promise<Outcome<void>> {
    const prepared = await this.inside(work);
    if (prepared.kind !== "done") return prepared;
    const { statements, state, isEmpty = false, isLong = false } = prepared.value;
    const session = this.#open!;
    this.#open = undefined;
    if (isEmpty) {
      // It needs no COMMIT, and the answer to its ROLLBACK does not matter.
      await session.rollback();
      return done(undefined);
    }
    const { committed } = this.state;
    const turn = { number: committed.turn.number + 1, name: crypto.randomUUID() };
    const after = { ...state, turn };
    const renamed = state.storeId === committed.storeId ? [] : [writeStoreId(state.storeId)];
    const ending = [...statements, ...renamed, addTurn(state.head, turn), COMMIT];
    try {
      await session.run(ending, isLong ? LONG_MILLISECONDS : undefined);
      this.#ownership.primary.saw(session, after);
    } catch (error) {
      if (error instanceof DatabaseError) return await this.#abort(error, session);
      const outcome = await this.#outcomeOf(turn, (error as Error).message);
      if (outcome.kind !== "done") {
        this.state.forget();
        return outcome;
      }
      // The write is about to be acknowledged. The session that found it may have read an earlier state before.
      this.#ownership.primary.seen.saw(after);
    }
    this.state.commit(after);
    this.#options.onWritten();
    return done(undefined);
  }

  /** Runs a whole write transaction whose statements depend on the store only. */
  async whole(work: (state: StoreState) => TransactionEnd): Promise<Outcome<void>> {
    const begun = await this.begin();
    if (begun.kind !== "done") return begun;
    return await this.end(() => Promise.resolve(work(this.state.now)));
  }

  /** Runs statements outside write transactions, however long they take. They must not change the store. */
  async outsideTransaction(statements: readonly Statement[]): Promise<Outcome<void>> {
    if (this.#broken !== undefined) return failureOf(new MustNotWrite(this.#broken));
    try {
      await (await this.#writer.ready()).run(statements, LONG_MILLISECONDS);
      return done(undefined);
    } catch (error) {
      if (error instanceof MustNotWrite) this.#break(error.message);
      return failureOf(error);
    }
  }

  /** Rolls back the open write transaction, if there is one. */
  async rollback(): Promise<void> {
    if (this.#open !== undefined) await this.#abort(new Error("rolled back"), this.#open);
  }

  async close(): Promise<void> {
    await this.rollback();
    await this.#writer.close();
  }

  /**
   * Ends a write transaction after a failure. Nothing was committed: no COMMIT was sent, or PostgreSQL has rejected
   * it.
   */
  async #abort(error: unknown, session: Session | undefined): Promise<Failure> {
    this.#open = undefined;
    await session?.rollback();
    if (error instanceof MustNotWrite) this.#break(error.message);
    this.state.forget();
    return failureOf(error);
  }

  #break(reason: string): void {
    this.#broken ??= reason;
    this.#options.onBroken(reason);
  }

  /** Determines the outcome of a write transaction when the answer to its COMMIT was lost. */
  async #outcomeOf(turn: LastTransaction, reason: string): Promise<Outcome<void>> {
    const isThere = await wasCommitted(turn, this.#ownership);
    if (isThere !== undefined) return isThere ? done(undefined) : failureOf(new SessionLost(reason));
    const unknown = `the answer to a COMMIT was lost: ${reason}`;
    // The memory of an edition, such as a pause, may differ from what is stored: the edition must restart.
    if (!this.#ownership.isShared) this.#break(unknown);
    return { kind: "unknown", reason: unknown, cause: "connection" };
  }
}
