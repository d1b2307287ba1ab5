import type { QueryItem } from "../../../model/query.ts";
import type { CommittedEvent } from "../../feed/commit_feed.ts";
import { termsMatch } from "../../feed/filter_terms.ts";
import { conditionConflict, suspectsAfter } from "../../core/check_conditions.ts";
import { termItem } from "../../core/index_terms.ts";
import type { PreparedEvent } from "../../core/prepare_event.ts";
import type { MasterKeys } from "../../core/sealing/master_keys.ts";
import type { RecentTerms } from "../../core/recent_terms.ts";
import type { StoreState } from "../../api/state.ts";
import type { AttemptResult, StoreWrite } from "../../api/write.ts";
import type { Row } from "../protocol/cells.ts";
import type { Session, Statement } from "../protocol/session.ts";
import { appendEvents } from "../tables/events.ts";
import { ProjectionsInTransaction } from "../tables/projections.ts";
import { OverBudget, StoredMatches } from "./stored_matches.ts";
import type { RecentKeys } from "./recent_keys.ts";
import { SubjectsInTransaction } from "./subjects_in_transaction.ts";

/** The parts of this server that its writes depend on. */
export interface WritesContext {
  readonly recent: RecentTerms;
  readonly keys: RecentKeys;
  /** The names of identifiers that stand for a person; undefined for a store without subjects. */
  readonly subjects: ReadonlySet<string> | undefined;
  readonly masters: MasterKeys;
}

/**
 * Writes that run together. First, they ask at once for everything that they must know of the store. Then they run
 * in memory, one after the other, and each sees the writes before it. Last, their results are stored at once.
 */
export class TransactionWrites {
  readonly #writes: readonly StoreWrite[];
  readonly #recent: RecentTerms;
  /** The store that the questions refer to, without the remote commits. */
  readonly #asked: StoreState;
  #remoteCommits: readonly CommittedEvent[] = [];
  readonly #matches: StoredMatches;
  readonly #projections: ProjectionsInTransaction;
  readonly #subjects: SubjectsInTransaction | undefined;
  /** The questions that are not about conditions, in their order. */
  readonly #asks: { readonly projections: Statement | undefined; readonly keys: Statement | undefined };
  readonly #events: PreparedEvent[] = [];
  /** The terms of the remote commits and of the events so far, computed on demand. */
  readonly #termSets: Set<string>[] = [];

  /** @param state the store before these writes, as last known */
  constructor(writes: readonly StoreWrite[], state: StoreState, context: WritesContext) {
    const { recent, keys, subjects, masters } = context;
    this.#writes = writes;
    this.#recent = recent;
    this.#asked = state;
    this.#matches = new StoredMatches(writes, state, recent);
    this.#projections = new ProjectionsInTransaction(writes.map(({ projections }) => projections));
    this.#subjects = subjects && new SubjectsInTransaction(writes, subjects, keys, masters);
    this.#asks = { projections: this.#projections.question, keys: this.#subjects?.question };
  }

  /** The statements to send before the writes can run. */
  get questions(): Statement[] {
    const asked = [...this.#matches.statements];
    for (const question of Object.values(this.#asks)) if (question !== undefined) asked.push(question);
    return asked;
  }

  /** True when these writes do not ask for some keys, since no other server has changed them. */
  get assumesKeys(): boolean {
    return this.#subjects?.assumesKeys ?? false;
  }

  /** The store after these writes. */
  get after(): StoreState {
    return { storeId: this.#asked.storeId, head: this.#before + this.#events.length };
  }

  /** The head before these writes. */
  get #before(): number {
    return this.#asked.head + this.#remoteCommits.length;
  }

  /**
   * Runs the writes in memory. This stores nothing.
   * @param answers the rows of each question
   * @param session for questions that the answers leave open
   * @param remoteCommits the events that others had committed meanwhile; the memory of terms has them already
   */
  async run(
    answers: readonly (readonly Row[])[],
    session: Pick<Session, "run">,
    remoteCommits: readonly CommittedEvent[] = [],
  ): Promise<AttemptResult[]> {
    this.#remoteCommits = remoteCommits;
    const asked = this.#matches.statements.length;
    await this.#matches.know(answers.slice(0, asked), session);
    let next = asked;
    if (this.#asks.projections !== undefined) this.#projections.know(answers[next++]!);
    if (this.#asks.keys !== undefined) this.#subjects!.know(answers[next]!);
    return this.#writes.map((write) => this.#runOne(write));
  }

  /** The statements that store the writes that have run. */
  get statements(): Statement[] {
    return this.#statementsFor(this.#events);
  }

  /** The same statements, with those of writes without questions that have run after these. */
  statementsWith(following: TransactionWrites): Statement[] {
    const more = following.#subjects?.statements ?? [];
    return [...this.#statementsFor([...this.#events, ...following.#events]), ...more];
  }

  #statementsFor(events: readonly PreparedEvent[]): Statement[] {
    return [
      ...appendEvents(this.#before, events),
      ...this.#projections.statements,
      ...this.#subjects?.statements ?? [],
    ];
  }

  #runOne(write: StoreWrite): AttemptResult {
    try {
      const state = this.after;
      const firstMatch = (items: readonly QueryItem[], after: number): number | undefined =>
        this.#matches.first(items, after) ?? this.#firstNew(items, after);
      const conflict = conditionConflict(write.conditions, { state, recent: this.#recent, firstMatch }) ??
        this.#projections.conflict(write.projections);
      if (conflict !== undefined) return { kind: "conflict", conflict };
      const hadKey = write.forget && this.#subjects?.forget(write.forget);
      if (write.forget !== undefined && hadKey === undefined) return { kind: "unknownSubject" };
      const versions = this.#projections.apply(write.projections);
      for (const [i, { terms }] of write.events.entries()) this.#recent.remember(state.head + 1 + i, terms);
      for (const event of write.events) this.#events.push(this.#subjects?.sealed(event) ?? event);
      return { kind: "written", storeId: state.storeId, firstSequence: state.head + 1, versions, hadKey };
    } catch (error) {
      if (error instanceof OverBudget) return { kind: "overBudget" };
      throw error;
    }
  }

  /** Finds the first match of the items among the remote commits and the events of earlier writes. */
  #firstNew(items: readonly QueryItem[], after: number): number | undefined {
    const start = Math.max(after, this.#asked.head);
    const { head } = this.after;
    if (start >= head) return undefined;
    const suspects = suspectsAfter(start, items, this.#recent, head).map(termItem);
    for (let sequence = start + 1; suspects.length > 0 && sequence <= head; sequence++) {
      const terms = this.#termsOf(sequence - this.#asked.head - 1);
      if (suspects.some((item) => termsMatch(item, terms))) return sequence;
    }
    return undefined;
  }

  #termsOf(index: number): ReadonlySet<string> {
    const event = this.#remoteCommits[index] ?? this.#events[index - this.#remoteCommits.length]!;
    return this.#termSets[index] ??= new Set(event.terms.split(" "));
  }
}
