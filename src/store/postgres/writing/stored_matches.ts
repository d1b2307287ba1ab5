import type { QueryItem } from "../../../model/query.ts";
import { suspectsAfter } from "../../core/check_conditions.ts";
import { termItem } from "../../core/index_terms.ts";
import type { RecentTerms } from "../../core/recent_terms.ts";
import type { StoreState } from "../../api/state.ts";
import type { CheckedCondition, StoreWrite } from "../../api/write.ts";
import type { Row } from "../protocol/cells.ts";
import type { Session, Statement } from "../protocol/session.ts";
import { firstMatch } from "../reading/find_events.ts";
import { IndexWalks, type SoughtItem, soughtItem, type Walked } from "../tables/tag_index.ts";

/** Entries of each list that a condition may walk during its write transaction. */
const WALKED = 64;

/** When many lists are walked at once, fewer entries of each are walked. */
const WALKED_MIN = 8;
const WALKED_TOGETHER_MAX = 32 * 1024;

/** A question about the stored events, for one item of a condition. */
interface Asked {
  readonly item: QueryItem;
  readonly after: number;
  readonly sought: SoughtItem;
  /** True when its write may be returned as over budget, instead of a long search. */
  readonly hasBudget: boolean;
}

/**
 * The first stored event that matches an item after a sequence, if any; `overBudget` when the search would take long.
 */
type Answer = number | undefined | "overBudget";

/**
 * Answers what the conditions of a write transaction must know of earlier events. Most conditions need no question,
 * because the memory of recent terms proves them. All other questions are sent together, before the writes run.
 */
export class StoredMatches {
  readonly #head: number;
  readonly #asked: Asked[] = [];
  readonly #walks: IndexWalks | undefined;
  /** By item, and by the sequence after which to search. */
  readonly #answers = new Map<QueryItem, Map<number, Answer>>();

  /** @param state the store before the write transaction, whose own events are not searched */
  constructor(writes: readonly StoreWrite[], state: StoreState, recent: RecentTerms) {
    this.#head = state.head;
    for (const { conditions, hasBudget = false } of writes) {
      for (const condition of conditions) this.#ask(condition, hasBudget, state, recent);
    }
    if (this.#asked.length === 0) return;
    const terms = this.#asked.reduce((count, { sought }) => count + sought.lists.flat().length, 0);
    const entries = Math.max(WALKED_MIN, Math.min(WALKED, Math.floor(WALKED_TOGETHER_MAX / terms)));
    const walks = this.#asked.map(({ sought, after }) => ({ item: sought, start: after }));
    this.#walks = new IndexWalks(walks, { after: 0, upTo: this.#head }, entries, "forwards");
  }

  get statements(): readonly Statement[] {
    return this.#walks?.statements ?? [];
  }

  /**
   * Reads the answers to `statements`.
   * @param session for searches that the answers leave open, of writes without a budget
   */
  async know(results: readonly (readonly Row[])[], session: Pick<Session, "run">): Promise<void> {
    if (this.#walks === undefined) return;
    for (const [i, walked] of this.#walks.read(results).entries()) {
      const asked = this.#asked[i]!;
      this.#answers.get(asked.item)!.set(asked.after, await this.#answerOf(asked, walked, session));
    }
  }

  /**
   * Returns the first stored event after a sequence that matches one of the items.
   * @throws OverBudget when the search would take long
   */
  first(items: readonly QueryItem[], after: number): number | undefined {
    let first: number | undefined;
    for (const item of items) {
      const answer = this.#answers.get(item)?.get(after);
      if (answer === "overBudget") throw new OverBudget();
      if (answer !== undefined && (first === undefined || answer < first)) first = answer;
    }
    return first;
  }

  #ask(
    { failIfEventsMatch: query, afterSequence, checked, store }: CheckedCondition,
    hasBudget: boolean,
    { storeId, head }: StoreState,
    recent: RecentTerms,
  ): void {
    const known = checked?.storeId === storeId ? checked : undefined;
    const after = Math.max(afterSequence, known?.upTo ?? 0);
    const isDecided = typeof query === "string" || known?.matched === true || after >= head ||
      (store !== undefined && store !== storeId);
    if (isDecided) return;
    for (const item of suspectsAfter(after, query, recent, head)) {
      const answers = this.#answers.get(item) ?? new Map<number, Answer>();
      if (answers.has(after)) continue;
      this.#answers.set(item, answers.set(after, undefined));
      this.#asked.push({ item, after, sought: soughtItem(termItem(item)), hasBudget });
    }
  }

  async #answerOf(
    { sought, hasBudget }: Asked,
    { found: [first], reached }: Walked,
    session: Pick<Session, "run">,
  ): Promise<Answer> {
    if (first !== undefined || reached >= this.#head) return first;
    if (hasBudget) return "overBudget";
    const rest = { after: reached, upTo: this.#head };
    return await firstMatch(session, sought.terms, rest);
  }
}

/** Checking the conditions of a write would hold its write transaction for too long. */
export class OverBudget extends Error {
  override readonly name = "OverBudget";
}
