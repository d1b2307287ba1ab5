import type { QueryItem } from "../../../model/query.ts";
import { termsMatch } from "../../arrivals/watched_terms.ts";
import { conditionConflict, suspectsAfter } from "../../check_conditions.ts";
import { termItem } from "../../index_terms.ts";
import type { PreparedEvent } from "../../prepare_event.ts";
import type { RecentTerms } from "../../recent_terms.ts";
import type { StoreState } from "../../state.ts";
import type { StoreWrite, TurnResult } from "../../write.ts";
import type { Row } from "../protocol/cells.ts";
import type { Session, Statement } from "../protocol/session.ts";
import { appendEvents } from "../tables/events.ts";
import { ProjectionsInTurn } from "../tables/projections.ts";
import { StoredMatches, TooCostly } from "./stored_matches.ts";

/**
 * Writes that run together. First they ask what they must know of the store, in one go; then they run in memory, one
 * after the other, each seeing those before it; and what they have come to is written, in one go again.
 */
export class TurnWrites {
  readonly #writes: readonly StoreWrite[];
  readonly #recent: RecentTerms;
  readonly #before: StoreState;
  readonly #matches: StoredMatches;
  readonly #projections: ProjectionsInTurn;
  readonly #events: PreparedEvent[] = [];
  /** The terms of the events so far, as far as somebody has asked. */
  readonly #termSets: Set<string>[] = [];

  /** @param state the store before these writes */
  constructor(writes: readonly StoreWrite[], state: StoreState, recent: RecentTerms) {
    this.#writes = writes;
    this.#recent = recent;
    this.#before = state;
    this.#matches = new StoredMatches(writes, state, recent);
    this.#projections = new ProjectionsInTurn(writes.map(({ projections }) => projections));
  }

  /** What must be asked before they can run. */
  get questions(): Statement[] {
    const { question } = this.#projections;
    return [...this.#matches.statements, ...question === undefined ? [] : [question]];
  }

  /** The store with these writes. */
  get after(): StoreState {
    const { storeId, head } = this.#before;
    return { storeId, head: head + this.#events.length };
  }

  /**
   * Runs the writes, of which nothing is stored by that.
   * @param answers the rows of each question
   */
  async run(answers: readonly (readonly Row[])[], session: Pick<Session, "run">): Promise<TurnResult[]> {
    const asked = this.#matches.statements.length;
    await this.#matches.know(answers.slice(0, asked), session);
    this.#projections.know(answers[asked] ?? []);
    return this.#writes.map((write) => this.#runOne(write));
  }

  /** What stores the writes that have run. */
  get statements(): Statement[] {
    return [...appendEvents(this.#before.head, this.#events), ...this.#projections.statements];
  }

  #runOne(write: StoreWrite): TurnResult {
    try {
      const state = this.after;
      const firstMatch = (items: readonly QueryItem[], after: number): number | undefined =>
        this.#matches.first(items, after) ?? this.#firstNew(items, after);
      const conflict = conditionConflict(write.conditions, { state, recent: this.#recent, firstMatch }) ??
        this.#projections.conflict(write.projections);
      if (conflict !== undefined) return { kind: "conflict", conflict };
      const versions = this.#projections.apply(write.projections);
      for (const [i, { terms }] of write.events.entries()) this.#recent.remember(state.head + 1 + i, terms);
      for (const event of write.events) this.#events.push(event);
      return { kind: "written", storeId: state.storeId, firstSequence: state.head + 1, versions };
    } catch (error) {
      if (error instanceof TooCostly) return { kind: "costly" };
      throw error;
    }
  }

  /** The first event of the writes before this one that matches one of the items. */
  #firstNew(items: readonly QueryItem[], after: number): number | undefined {
    const start = Math.max(after, this.#before.head);
    const { head } = this.after;
    if (start >= head) return undefined;
    const suspects = suspectsAfter(start, items, this.#recent, head).map(termItem);
    for (let sequence = start + 1; suspects.length > 0 && sequence <= head; sequence++) {
      const terms = this.#termsOf(sequence - this.#before.head - 1);
      if (suspects.some((item) => termsMatch(item, terms))) return sequence;
    }
    return undefined;
  }

  #termsOf(place: number): ReadonlySet<string> {
    return this.#termSets[place] ??= new Set(this.#events[place]!.terms.split(" "));
  }
}
