import type { CommittedEvent } from "../../feed/commit_feed.ts";
import { done, type Failure, type Outcome } from "../../outcome.ts";
import type { StoreState } from "../../state.ts";
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

/** PostgreSQL ends what does nothing for eight seconds in a turn: so it knows that this process has not frozen. */
const HEARTBEAT_MILLISECONDS = 2500;

/** What goes through whole tables may take so long. */
const LONG_MILLISECONDS = 3_600_000;

export interface TransactionsOptions {
  readonly onBroken: (reason: string) => void;
  /** Called with the store after each turn. */
  readonly onTransaction: (state: CountedState) => void;
  /** Called when others have had turns since the last one of this server, with the events that they have written. */
  readonly onRemoteCommits: (
    state: CountedState,
    firstSequence: number,
    events: readonly CommittedEvent[],
  ) => void;
  /** Called with the store when nothing is known of how it came to that: what was done in a turn is undone, say. */
  readonly onOther: (state: CountedState) => void;
}

/** What a turn has begun with. */
export interface TransactionBegin {
  readonly answers: Row[][];
  /** What others had written before, behind what was known when it was asked. */
  readonly remoteCommits: readonly CommittedEvent[];
  /** Whether the store is another one than that of which was asked: then the answers say little. */
  readonly isOther: boolean;
}

/** What ends a turn: what is still to be written, and the store with it. */
export interface TransactionEnd {
  readonly statements: readonly Statement[];
  readonly state: StoreState;
  /** Whether the turn has written nothing at all. */
  readonly isEmpty?: boolean;
  /** Whether it may take as long as it needs. */
  readonly isLong?: boolean;
}

/** The transactions of this server, one at a time, and what their errors mean. */
export class Transactions {
  /** The store as the open turn sees it. */
  state: StoreState;
  readonly #writer: WriterSession;
  readonly #ownership: WriteOwnership;
  readonly #options: TransactionsOptions;
  #committed: CountedState;
  /** The session of the last turn. */
  #last: Session;
  #open: Session | undefined;
  #heartbeats: ReturnType<typeof setInterval> | undefined;
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

  /** Begins a turn, and asks for something in the same go. @param ask called when it is about to be asked */
  async begin(ask: () => readonly Statement[] = () => []): Promise<Outcome<TransactionBegin>> {
    if (this.#broken !== undefined) return failureOf(new StoreBroken(this.#broken));
    let session: Session | undefined;
    try {
      session = await this.#writer.ready();
      // Behind it may be another PostgreSQL, of which others have made something else than what is remembered.
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
      this.#heartbeats = setInterval(() => this.#beat(), HEARTBEAT_MILLISECONDS);
      return done({ answers, remoteCommits, isOther });
    } catch (error) {
      return await this.#abort(error, session);
    }
  }

  /** Works inside the open turn, which ends when that fails. */
  async inside<T>(work: (session: Session) => Promise<T>): Promise<Outcome<T>> {
    const session = this.#open;
    if (session === undefined) return NO_TRANSACTION;
    try {
      return done(await work(session));
    } catch (error) {
      return await this.#abort(error, session);
    }
  }

  /** Does the last work of a turn and commits it. */
  async end(work: (session: Session, state: StoreState) => Promise<TransactionEnd>): Promise<Outcome<void>> {
    const prepared = await this.inside((session) => work(session, this.state));
    if (prepared.kind !== "done") return prepared;
    const { statements, state, isEmpty = false, isLong = false } = prepared.value;
    const session = this.#open!;
    this.#close();
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
      // It is about to be acknowledged. Found on a new session, it may have come behind what that one has begun with.
      this.#ownership.primary.seen.saw(after);
    }
    this.state = this.#committed = after;
    this.#options.onTransaction(after);
    return done(undefined);
  }

  /** Needs no COMMIT, and no answer. */
  async #endEmpty(session: Session): Promise<Outcome<void>> {
    await session.run([ROLLBACK]).catch(() => session.close());
    return done(undefined);
  }

  /** Does something, however long it takes, that is no turn and changes nothing of the store. */
  async beside(statements: readonly Statement[]): Promise<Outcome<void>> {
    if (this.#broken !== undefined) return failureOf(new StoreBroken(this.#broken));
    try {
      await (await this.#writer.ready()).run(statements, LONG_MILLISECONDS);
      return done(undefined);
    } catch (error) {
      if (error instanceof StoreBroken) this.#break(error.message);
      return failureOf(error);
    }
  }

  /** Undoes the open turn, if there is one. */
  async rollback(): Promise<void> {
    const session = this.#open;
    if (session === undefined) return;
    await this.#abort(new Error("rolled back"), session);
  }

  /** Ends a turn in which something failed. That is certain: no COMMIT was sent, or PostgreSQL has refused it. */
  async #abort(error: unknown, session: Session | undefined): Promise<Failure> {
    this.#close();
    if (session?.isOpen) await session.run([ROLLBACK]).catch(() => session.close());
    if (error instanceof StoreBroken) this.#break(error.message);
    return this.#forget(failureOf(error));
  }

  #forget<F extends Failure>(failure: F): F {
    this.state = this.#committed;
    this.#options.onOther(this.#committed);
    return failure;
  }

  #close(): void {
    clearInterval(this.#heartbeats);
    this.#open = undefined;
  }

  #beat(): void {
    this.#open?.run([{ sql: "SELECT" }]).catch(() => {});
  }

  #break(reason: string): void {
    this.#broken ??= reason;
    this.#options.onBroken(reason);
  }

  /**
   * Goes on from a row that is locked. It may be ahead: other servers have had turns, or this one has, without learning
   * of it. It cannot be behind unless the database has gone back to an earlier state.
   * @returns whether the remoteCommits do not tell how it came to that
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

  /** What became of a turn when the answer to its COMMIT was lost. */
  async #outcomeOf(turn: LastTransaction, reason: string): Promise<Outcome<void>> {
    const { server, edition } = this.#ownership;
    const ask = (statements: readonly Statement[]): Promise<Row[][]> => this.#writer.ask(statements);
    const isThere = await wasCommitted(turn, { ask, server, edition });
    if (isThere !== undefined) return isThere ? done(undefined) : failureOf(new SessionLost(reason));
    const unknown = `the answer to a COMMIT was lost: ${reason}`;
    // What an edition remembers, such as a pause, may not be what is stored: it must begin anew.
    if (!this.#ownership.isShared) this.#break(unknown);
    return { kind: "unknown", reason: unknown, cause: "connection" };
  }
}

const NO_TRANSACTION: Failure = { kind: "failed", reason: "no turn is open" };
