import { done, type Failure, type FailureCause, type Outcome } from "../../outcome.ts";
import type { StoreState } from "../../state.ts";
import type { Row } from "../protocol/cells.ts";
import { DatabaseError, SessionLost } from "../protocol/errors.ts";
import type { Session, Statement } from "../protocol/session.ts";
import { endTurn, LOCK_STATE, type StoreRow, storeRow } from "../tables/state.ts";
import { StoreBroken, type WriterSession } from "./writer_session.ts";

const BEGIN: Statement = { sql: "BEGIN" };
const COMMIT: Statement = { sql: "COMMIT" };
const ROLLBACK: Statement = { sql: "ROLLBACK" };

/** PostgreSQL ends what does nothing for ten seconds in a turn: so it knows that this process has not frozen. */
const SIGN_OF_LIFE_MILLISECONDS = 2500;

/** What goes through whole tables may take so long. */
const LONG_MILLISECONDS = 3_600_000;

/** How often it is asked what became of a COMMIT. Each time, it waits for what may still be going on. */
const ASKED_MAX = 2;

export interface TransactionsOptions {
  readonly onBroken: (reason: string) => void;
  /** Called when what was done in a turn came to nothing. */
  readonly onForget: (committed: StoreState) => void;
}

/** What ends a turn: what is still to be written, and the store with it. */
export interface TurnEnd {
  readonly statements: readonly Statement[];
  readonly state: StoreState;
  /** Whether the turn has written nothing at all. */
  readonly isEmpty?: boolean;
  /** Whether it may take as long as it needs. */
  readonly isLong?: boolean;
}

/** The transactions of the server that may write, one at a time, and what their errors mean. */
export class Transactions {
  /** The store as the open turn sees it. */
  state: StoreState;
  readonly #writer: WriterSession;
  readonly #options: TransactionsOptions;
  #committed: StoreState;
  #open: Session | undefined;
  #signsOfLife: ReturnType<typeof setInterval> | undefined;
  #broken: string | undefined;

  constructor(writer: WriterSession, state: StoreState, options: TransactionsOptions) {
    this.#writer = writer;
    this.#options = options;
    const { storeId, head } = state;
    this.state = this.#committed = { storeId, head };
  }

  /** Begins a turn, and asks for something in the same go. @returns the answers */
  async begin(questions: readonly Statement[]): Promise<Outcome<Row[][]>> {
    if (this.#broken !== undefined) return { kind: "failed", reason: this.#broken };
    let session: Session | undefined;
    try {
      session = await this.#writer.ready();
      const [, rows, ...answers] = await session.run([BEGIN, LOCK_STATE, ...questions]);
      const row = storeRow(rows!);
      this.#writer.checkOwner(row);
      this.#checkState(row);
      this.#open = session;
      this.#signsOfLife = setInterval(() => this.#giveSign(), SIGN_OF_LIFE_MILLISECONDS);
      return done(answers);
    } catch (error) {
      return await this.#abort(error, session);
    }
  }

  /** Works inside the open turn, which ends when that fails. */
  async inside<T>(work: (session: Session) => Promise<T>): Promise<Outcome<T>> {
    const session = this.#open;
    if (session === undefined) return NO_TURN;
    try {
      return done(await work(session));
    } catch (error) {
      return await this.#abort(error, session);
    }
  }

  /** Does the last work of a turn and commits it. */
  async end(work: (session: Session, state: StoreState) => Promise<TurnEnd>): Promise<Outcome<void>> {
    const prepared = await this.inside((session) => work(session, this.state));
    if (prepared.kind !== "done") return prepared;
    const { statements, state, isEmpty = false, isLong = false } = prepared.value;
    const session = this.#open!;
    this.#close();
    if (isEmpty) return await this.#endEmpty(session);
    const turn = crypto.randomUUID();
    try {
      await session.run(
        [...statements, endTurn(state, turn), COMMIT],
        isLong ? LONG_MILLISECONDS : undefined,
      );
    } catch (error) {
      if (error instanceof DatabaseError) return await this.#abort(error, session);
      const outcome = await this.#outcomeOf(turn, (error as Error).message);
      if (outcome.kind !== "done") return this.#forget(outcome);
    }
    this.state = this.#committed = state;
    return done(undefined);
  }

  /** Needs no COMMIT, and no answer. */
  async #endEmpty(session: Session): Promise<Outcome<void>> {
    await session.run([ROLLBACK]).catch(() => session.close());
    return done(undefined);
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
    this.#options.onForget(this.#committed);
    return failure;
  }

  #close(): void {
    clearInterval(this.#signsOfLife);
    this.#open = undefined;
  }

  #giveSign(): void {
    this.#open?.run([{ sql: "SELECT" }]).catch(() => {});
  }

  #break(reason: string): void {
    this.#broken ??= reason;
    this.#options.onBroken(reason);
  }

  /** Nobody else writes: another state than ours means that the database has gone back to an earlier one. */
  #checkState({ storeId, head }: StoreRow): void {
    if (storeId === this.#committed.storeId && head === this.#committed.head) return;
    throw new StoreBroken(
      `the database is not as this server left it: it ends at sequence ${head} and not at ${this.#committed.head}`,
    );
  }

  /**
   * What became of a turn when the answer to its COMMIT was lost: the row of the store names the last turn. To lock it
   * waits for whatever the lost connection still does, so the answer is the truth, after a failover too.
   */
  async #outcomeOf(turn: string, reason: string): Promise<Outcome<void>> {
    for (let asked = 0; asked < ASKED_MAX; asked++) {
      try {
        const session = await this.#writer.ready();
        const [, rows] = await session.run([BEGIN, LOCK_STATE, ROLLBACK]);
        const row = storeRow(rows!);
        if (row.turn === turn) return done(undefined);
        this.#writer.checkOwner(row);
        return failureOf(new SessionLost(reason));
      } catch (error) {
        if (!(error instanceof StoreBroken)) continue;
        this.#break(error.message);
        break;
      }
    }
    return { kind: "unknown", reason: `the answer to a COMMIT was lost: ${reason}`, cause: "connection" };
  }
}

const NO_TURN: Failure = { kind: "failed", reason: "no turn is open" };

/** Others than those of a statement pass by themselves. */
function failureOf(error: unknown): Failure {
  const reason = (error as Error).message;
  if (error instanceof SessionLost) {
    return { kind: "failed", reason, code: "Unavailable", cause: "connection" };
  }
  if (!(error instanceof DatabaseError)) return { kind: "failed", reason };
  const failure: Failure = { kind: "failed", reason, cause: causeOf(error) };
  return /^(53300|55P03|57)/.test(error.code) ? { ...failure, code: "Unavailable" } : failure;
}

/** What a SQLSTATE stands for. */
function causeOf({ code }: DatabaseError): FailureCause {
  if (code === "53100") return "diskFull";
  // An I/O error, or damaged data.
  if (/^(58030|XX00[12])/.test(code)) return "diskError";
  if (code === "55P03") return "locked";
  // Too many connections, or a server that shuts down, has crashed or is starting.
  return /^(53300|57P0)/.test(code) ? "connection" : "other";
}
