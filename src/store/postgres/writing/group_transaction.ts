import type { AttemptResult, StoreWrite, TakeMore } from "../../api/write.ts";
import type { Session, Statement } from "../protocol/session.ts";
import type { TransactionBegin, TransactionEnd } from "./transaction_runner.ts";
import { TransactionWrites, type WritesContext } from "./transaction_writes.ts";
import type { WriterState } from "./writer_state.ts";

/**
 * The write transaction of a group. Writes that come while it waits for the lock, which other servers may hold, join
 * it. Otherwise, each server would run its transactions with only the few writes that came first.
 */
export class GroupTransaction {
  readonly #state: WriterState;
  readonly #context: WritesContext;
  /** The writes of the group, and those that have joined. */
  writes: readonly StoreWrite[];
  #run: TransactionWrites | undefined;
  readonly results: AttemptResult[] = [];

  constructor(writes: readonly StoreWrite[], state: WriterState, context: WritesContext) {
    this.writes = writes;
    this.#state = state;
    this.#context = context;
  }

  /** The statements to send together with the lock. */
  questions(): readonly Statement[] {
    return this.#begin().questions;
  }

  /** Runs the writes of the group, and those that have joined. */
  async run(
    { answers, remoteCommits, isOther, othersWrote }: TransactionBegin,
    session: Session,
    more: TakeMore = () => [],
  ): Promise<TransactionEnd> {
    const isOutdated = isOther || (othersWrote && this.#run!.assumesKeys);
    const first = isOutdated ? this.#begin() : this.#run!;
    const known = isOutdated ? await session.run(first.questions) : answers;
    this.results.push(...await first.run(known, session, isOutdated ? [] : remoteCommits));
    const late = more();
    this.writes = [...this.writes, ...late];
    return late.length === 0 ? endOf(first, first.statements) : await this.#runLate(late, first, session);
  }

  #begin(): TransactionWrites {
    return this.#run = new TransactionWrites(this.writes, this.#state.now, this.#context);
  }

  /** Most late writes can run and be stored with the others. Those with questions run after the others are stored. */
  async #runLate(
    writes: readonly StoreWrite[],
    first: TransactionWrites,
    session: Session,
  ): Promise<TransactionEnd> {
    const late = new TransactionWrites(writes, first.after, this.#context);
    const { questions } = late;
    if (questions.length === 0) {
      this.results.push(...await late.run([], session));
      return endOf(late, first.statementsWith(late));
    }
    const { statements } = first;
    const answers = (await session.run([...statements, ...questions])).slice(statements.length);
    this.results.push(...await late.run(answers, session));
    return { ...endOf(late, late.statements), isEmpty: statements.length + late.statements.length === 0 };
  }
}

function endOf({ after }: TransactionWrites, statements: readonly Statement[]): TransactionEnd {
  return { statements, state: after, isEmpty: statements.length === 0 };
}
