import type { CommittedEvent } from "../../feed/commit_feed.ts";
import { done, type Failure, type Outcome } from "../../api/outcome.ts";
import type { StoreState } from "../../api/state.ts";
import type { Row } from "../protocol/cells.ts";
import { DatabaseError, SessionLost } from "../protocol/errors.ts";
import type { Session, Statement } from "../protocol/session.ts";
import { StoreBroken, type WriteOwnership } from "../cluster/write_ownership.ts";
import { readRemoteCommits, remoteCommitsIn } from "../tables/remote_commits.ts";
import {
  type CountedState,
  LOCK_STORE,
  READ_STATE,
  type StoreRow,
  storeRow,
  writeStoreId,
} from "../tables/state.ts";
import { addTurn, type LastTransaction } from "../tables/turns.ts";
import { failureOf } from "./failures.ts";
import { wasCommitted } from "./lost_transaction.ts";
import type { WriterSession } from "./writer_session.ts";

const BEGIN: Statement = { sql: "BEGIN" };
const COMMIT: Statement = { sql: "COMMIT" };
const ROLLBACK: Statement = { sql: "ROLLBACK" };

/** Statements that process whole tables may take this long. */
const LONG_MILLISECONDS = 3_600_000;

export interface TransactionsOptions {
  readonly onBroken: (reason: string) => void;
  /** Called with the store after each write transaction. */
  readonly onTransaction: (state: CountedState) => void;
  /**
   * Called when others have committed since the last write transaction of this server, with the events of these
   * commits.
   */
  readonly onRemoteCommits: (
    state: CountedState,
    firstSequence: number,
    events: readonly CommittedEvent[],
  ) => void;
  /**
   * Called with the store when its last change is unknown, for example because a write transaction was rolled back.
   */
  readonly onOther: (state: CountedState) => void;
}

/** The results at the beginning of a write transaction. */
export interface TransactionBegin {
  readonly answers: Row[][];
  /** Events that other servers had committed, after the last one that this server knew when it asked. */
  readonly remoteCommits: readonly CommittedEvent[];
  /** True when the store is not the one that the questions assumed. Then the answers say little. */
  readonly isOther: boolean;
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
export class Transactions {
  /** The store as the open write transaction sees it. */
  state: StoreState;
  readonly #writer: WriterSession;
  readonly #ownership: WriteOwnership;
  readonly #options: TransactionsOptions;
  #committed: CountedState;
  /** The session of the last write transaction. */
  #last: Session;
  #open: Session | undefined;
  #broken: string | undefined;

  constructor(
    writer: WriterSession,
    ownership: WriteOwnership,
    state: CountedState,
    options: TransactionsOptions,
  ) {
    this.#writer = writer;
    this.#last = writer.session;
    this.#ownership = ownership;
    this.#options = options;
    this.state = this.#committed = state;
    writer.onReplaced = (reason) => this.#break(reason);
  }

  /**
   * Begins a write transaction, and sends questions together with the lock.
   * @param ask called just before the questions are sent
   */
  async begin(ask: () => readonly Statement[] = () => []): Promise<Outcome<TransactionBegin>> {
    if (this.#broken !== undefined) return failureOf(new StoreBroken(this.#broken));
    let session: Session | undefined;
    try {
      session = await this.#writer.ready();
      // The new session may reach another PostgreSQL, where others have changed what this server remembers.
      if (session !== this.#last) this.#options.onOther(this.#committed);
      this.#last = session;
      const asked = [BEGIN, LOCK_STORE, READ_STATE, readRemoteCommits(this.#committed.head), ...ask()];
      const [, , rows, newRows, ...answers] = await session.run(asked);
      const row = storeRow(rows!);
      this.#ownership.check(row);
      this.#ownership.primary.saw(session, row);
      const remoteCommits = remoteCommitsIn(newRows!);
      const isOther = this.#follow(row, remoteCommits);
      this.#open = session;
      return done({ answers, remoteCommits, isOther });
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
  async end(work: (session: Session, state: StoreState) => Promise<TransactionEnd>): Promise<Outcome<void>> {
    const prepared = await this.inside((session) => work(session, this.state));
    if (prepared.kind !== "done") return prepared;
    const { statements, state, isEmpty = false, isLong = false } = prepared.value;
    const session = this.#open!;
    this.#open = undefined;
    if (isEmpty) return await this.#endEmpty(session);
    const turn = { number: this.#committed.turn.number + 1, name: crypto.randomUUID() };
    const after = { ...state, turn };
    const renamed = state.storeId === this.#committed.storeId ? [] : [writeStoreId(state.storeId)];
    const ending = [...statements, ...renamed, addTurn(state.head, turn), COMMIT];
    try {
      await session.run(ending, isLong ? LONG_MILLISECONDS : undefined);
      this.#ownership.primary.saw(session, after);
    } catch (error) {
      if (error instanceof DatabaseError) return await this.#abort(error, session);
      const outcome = await this.#outcomeOf(turn, (error as Error).message);
      if (outcome.kind !== "done") return this.#forget(outcome);
      // The write is about to be acknowledged. The new session that found it may have read an earlier state before.
      this.#ownership.primary.seen.saw(after);
    }
    this.state = this.#committed = after;
    this.#options.onTransaction(after);
    return done(undefined);
  }

  /** A transaction that has written nothing needs no COMMIT, and the answer to its ROLLBACK does not matter. */
  async #endEmpty(session: Session): Promise<Outcome<void>> {
    await session.run([ROLLBACK]).catch(() => session.close());
    return done(undefined);
  }

  /** Runs statements outside write transactions, however long they take. They must not change the store. */
  async outsideTransaction(statements: readonly Statement[]): Promise<Outcome<void>> {
    if (this.#broken !== undefined) return failureOf(new StoreBroken(this.#broken));
    try {
      await (await this.#writer.ready()).run(statements, LONG_MILLISECONDS);
      return done(undefined);
    } catch (error) {
      if (error instanceof StoreBroken) this.#break(error.message);
      return failureOf(error);
    }
  }

  /** Rolls back the open write transaction, if there is one. */
  async rollback(): Promise<void> {
    const session = this.#open;
    if (session === undefined) return;
    await this.#abort(new Error("rolled back"), session);
  }

  /**
   * Ends a write transaction after a failure. Nothing was committed: no COMMIT was sent, or PostgreSQL has rejected
   * it.
   */
  async #abort(error: unknown, session: Session | undefined): Promise<Failure> {
    this.#open = undefined;
    if (session?.isOpen) await session.run([ROLLBACK]).catch(() => session.close());
    if (error instanceof StoreBroken) this.#break(error.message);
    return this.#forget(failureOf(error));
  }

  #forget<F extends Failure>(failure: F): F {
    this.state = this.#committed;
    this.#options.onOther(this.#committed);
    return failure;
  }

  #break(reason: string): void {
    this.#broken ??= reason;
    this.#options.onBroken(reason);
  }

  /**
   * Continues from the locked row. The row may be ahead: other servers have committed, or this one has and did not
   * learn of it. It cannot be behind unless the database has returned to an earlier state.
   * @returns true when `remoteCommits` do not explain the change
   */
  #follow({ storeId, head, turn }: StoreRow, remoteCommits: readonly CommittedEvent[]): boolean {
    const last = this.#committed;
    const isSame = storeId === last.storeId;
    const isAsLeft = isSame && head === last.head && turn.name === last.turn.name;
    const isOlder = turn.number < last.turn.number || (turn.number === last.turn.number && !isAsLeft);
    if (isOlder || (isSame && head < last.head)) {
      throw new StoreBroken(
        `the database is not as this server left it: it ends at sequence ${head} and not at ${last.head}`,
      );
    }
    this.#committed = { storeId, head, turn };
    this.state = this.#committed;
    const isKnown = isSame && head === last.head + remoteCommits.length;
    if (!isKnown) this.#options.onOther(this.#committed);
    if (turn.number !== last.turn.number) {
      this.#options.onRemoteCommits(this.#committed, last.head + 1, isKnown ? remoteCommits : []);
    }
    return !isKnown;
  }

  /** Determines the outcome of a write transaction when the answer to its COMMIT was lost. */
  async #outcomeOf(turn: LastTransaction, reason: string): Promise<Outcome<void>> {
    const { server, edition } = this.#ownership;
    const ask = (statements: readonly Statement[]): Promise<Row[][]> => this.#writer.ask(statements);
    const isThere = await wasCommitted(turn, { ask, server, edition });
    if (isThere !== undefined) return isThere ? done(undefined) : failureOf(new SessionLost(reason));
    const unknown = `the answer to a COMMIT was lost: ${reason}`;
    // The memory of an edition, such as a pause, may differ from what is stored: the edition must restart.
    if (!this.#ownership.isShared) this.#break(unknown);
    return { kind: "unknown", reason: unknown, cause: "connection" };
  }
}

const NO_TRANSACTION: Failure = { kind: "failed", reason: "no turn is open" };
