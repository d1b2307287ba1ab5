import { ApiError } from "../../../model/errors.ts";
import type { ProjectionKey } from "../../../model/projection.ts";
import type { Chunk, ChunkRequest } from "../../api/chunk.ts";
import { done, type Failure, type Outcome } from "../../api/outcome.ts";
import type { StoreState } from "../../api/state.ts";
import type { FoundProjection, StoreWriter } from "../../api/store.ts";
import { type MasterKeys, NO_MASTER_KEYS } from "../../core/sealing/master_keys.ts";
import type { AttemptResult, StoreWrite, TakeMore, WriteResult } from "../../api/write.ts";
import type { Session, Statement } from "../protocol/session.ts";
import { readChunk } from "../reading/read_chunk.ts";
import { keysOn, openedChunk } from "../reading/sealed_chunk.ts";
import { DELETE_EVENTS } from "../tables/events.ts";
import { deleteProjections, readProjection, storedProjection } from "../tables/projections.ts";
import { writePausedSince } from "../tables/state.ts";
import { DELETE_SUBJECTS } from "../tables/subjects.ts";
import { GroupTransaction } from "./group_transaction.ts";
import type { TransactionRunner } from "./transaction_runner.ts";
import { TransactionWrites, type WritesContext } from "./transaction_writes.ts";
import type { WriterState } from "./writer_state.ts";

/** Tables that another server refreshes at the moment are skipped. */
const OPTIMIZE: Statement = {
  sql: "ANALYZE (SKIP_LOCKED) store, turn, event, event_term, time_block, projection",
};

/** Runs the write transactions of a store on PostgreSQL. Each one begins by locking the row of the store. */
export class PostgresWriter implements StoreWriter {
  readonly #transactions: TransactionRunner;
  readonly #state: WriterState;
  readonly #context: WritesContext;
  /** Called after each commit that has deleted keys. */
  onKeysDeleted: () => void = () => {};

  /** @param subjects the names of identifiers that stand for a person; undefined for a store without subjects */
  constructor(
    transactions: TransactionRunner,
    subjects: ReadonlySet<string> | undefined,
    masters: MasterKeys = NO_MASTER_KEYS,
  ) {
    this.#transactions = transactions;
    this.#state = transactions.state;
    const { recent, keys } = this.#state;
    this.#context = { recent, keys, subjects, masters };
  }

  async group(writes: readonly StoreWrite[], more?: TakeMore): Promise<readonly Outcome<AttemptResult>[]> {
    const turn = new GroupTransaction(writes, this.#state, this.#context);
    const begun = await this.#transactions.begin(() => turn.questions());
    const outcome = begun.kind !== "done"
      ? begun
      : await this.#transactions.end((session) => turn.run(begun.value, session, more));
    if (outcome.kind === "done") {
      if (turn.results.some((result) => result.kind === "written" && result.hadKey)) this.onKeysDeleted();
      return turn.results.map(done);
    }
    // An error belongs to the write that caused it, so each write runs alone.
    const isOfStatement = outcome.kind === "failed" && outcome.code === undefined;
    if (!isOfStatement || turn.writes.length === 1) return turn.writes.map(() => outcome);
    const outcomes: Outcome<AttemptResult>[] = [];
    for (const write of turn.writes) outcomes.push(...await this.group([write]));
    return outcomes;
  }

  deleteProjections(type: string | undefined): Promise<Outcome<void>> {
    return this.#transactions.whole((state) => ({ statements: [deleteProjections(type)], state }));
  }

  async reset(): Promise<Outcome<void>> {
    const state = { storeId: crypto.randomUUID(), head: 0 };
    const keys = this.#context.subjects === undefined ? [] : DELETE_SUBJECTS;
    const statements = [...DELETE_EVENTS, ...keys, deleteProjections(undefined)];
    const outcome = await this.#transactions.whole(() => ({ statements, state, isLong: true }));
    if (outcome.kind !== "done") return outcome;
    this.#state.forget();
    if (keys.length > 0) this.onKeysDeleted();
    return outcome;
  }

  async setPaused(sinceMicros: number | undefined): Promise<Outcome<StoreState>> {
    const statements = [writePausedSince(sinceMicros)];
    const outcome = await this.#transactions.whole((state) => ({ statements, state }));
    if (outcome.kind !== "done") return outcome;
    const { storeId, head } = this.#state.committed;
    return done({ storeId, head });
  }

  /** Does not delay the write transactions of other servers. Tables that the role may not refresh are skipped. */
  optimize(): Promise<Outcome<void>> {
    return this.#transactions.outsideTransaction([OPTIMIZE]);
  }

  async begin(): Promise<Outcome<void>> {
    const begun = await this.#transactions.begin();
    return begun.kind === "done" ? done(undefined) : begun;
  }

  writeInside(write: StoreWrite): Promise<Outcome<WriteResult>> {
    return this.#transactions.inside(async (session) => {
      const run = new TransactionWrites([write], this.#state.now, this.#context);
      const [result] = await run.run(await session.run(run.questions), session);
      await session.run(run.statements);
      this.#state.now = run.after;
      return result as WriteResult;
    });
  }

  readChunkInside(request: ChunkRequest): Promise<Chunk> {
    return this.#readInside(async (session) => {
      const chunk = await readChunk(session, this.#state.now, request);
      const { subjects, masters } = this.#context;
      if (subjects === undefined) return chunk;
      return await openedChunk(chunk, request, (ids) => keysOn(session, ids, masters));
    });
  }

  readProjectionInside(key: ProjectionKey): Promise<FoundProjection> {
    return this.#readInside(async (session) => {
      const [rows] = await session.run([readProjection(key)]);
      return { storeId: this.#state.now.storeId, projection: storedProjection(rows!) };
    });
  }

  commit(): Promise<Outcome<void>> {
    return this.#transactions.end(() => Promise.resolve({ statements: [], state: this.#state.now }));
  }

  rollback(): Promise<void> {
    return this.#transactions.rollback();
  }

  /** Rolls back the open transaction, and releases the lock. */
  close(): Promise<void> {
    return this.#transactions.close();
  }

  async #readInside<T>(read: (session: Session) => Promise<T>): Promise<T> {
    const inside: Outcome<T> | Failure = await this.#transactions.inside(read);
    if (inside.kind === "done") return inside.value;
    throw inside.code === undefined ? new Error(inside.reason) : new ApiError(inside.code, inside.reason);
  }
}
