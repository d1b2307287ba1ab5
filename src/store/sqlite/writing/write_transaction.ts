import type { QueryItem } from "../../../model/query.ts";
import type { StoreState } from "../../api/state.ts";
import type { AttemptResult, StoreWrite } from "../../api/write.ts";
import { conditionConflict, suspectsAfter } from "../../core/check_conditions.ts";
import type { PreparedEvent } from "../../core/prepare_event.ts";
import { projectionConflict } from "../../core/projection_conflict.ts";
import type { RecentTerms } from "../../core/recent_terms.ts";
import type { Database } from "../connection/database.ts";
import { type CheckBudget, OverBudget } from "../reading/check_budget.ts";
import { firstMatch } from "../reading/find_events.ts";
import { appendEvents } from "../tables/events.ts";
import { applyProjections, storedVersion } from "../tables/projections.ts";
import type { SubjectKeys } from "./subject_keys.ts";

/**
 * The writes that run together in the open transaction, one after the other. Their events are appended together, at the
 * end or before a search that may find one of them. For many events, that takes half the time.
 */
export class WriteTransaction {
  readonly #db: Database;
  readonly #recent: RecentTerms;
  readonly #storeId: string;
  readonly #keys: SubjectKeys | undefined;
  readonly #budget: CheckBudget | undefined;
  #head: number;
  /** The sequence of the last event that a search can find. */
  #appendedUpTo: number;
  #waiting: PreparedEvent[] = [];

  /**
   * @param state the store before these writes
   * @param keys those of the store's subjects, if it has any
   * @param budget the limit on the cost of checking conditions, for the writes that have one
   */
  constructor(
    db: Database,
    recent: RecentTerms,
    { storeId, head }: StoreState,
    keys?: SubjectKeys,
    budget?: CheckBudget,
  ) {
    this.#db = db;
    this.#recent = recent;
    this.#storeId = storeId;
    this.#keys = keys;
    this.#budget = budget;
    this.#head = this.#appendedUpTo = head;
  }

  /**
   * Runs one write. All checks come before the first change, so a conflict leaves nothing behind and needs no
   * savepoint. Over budget, nothing of the write is done.
   * @throws any error of SQLite, and the caller rolls back
   */
  apply(write: StoreWrite): AttemptResult {
    try {
      return this.#apply(write, write.hasBudget ? this.#budget : undefined);
    } catch (error) {
      if (error instanceof OverBudget) return { kind: "overBudget" };
      throw error;
    }
  }

  /** @returns the store after these writes */
  end(): StoreState {
    this.#append();
    return { storeId: this.#storeId, head: this.#head };
  }

  #apply(
    { conditions, projections, forget, events }: StoreWrite,
    budget: CheckBudget | undefined,
  ): AttemptResult {
    budget?.beginWrite();
    const storeId = this.#storeId;
    const conflict = conditionConflict(conditions, {
      state: { storeId, head: this.#head },
      recent: this.#recent,
      firstMatch: (items, after) => this.#firstMatch(items, after, budget),
    }) ?? projectionConflict(projections, (key) => storedVersion(this.#db, key));
    if (conflict !== undefined) return { kind: "conflict", conflict };
    const hadKey = forget && this.#keys?.forget(forget);
    if (forget !== undefined && hadKey === undefined) return { kind: "unknownSubject" };
    const versions = applyProjections(this.#db, projections);
    const firstSequence = this.#head + 1;
    for (const event of events) {
      this.#waiting.push(this.#keys?.sealed(event) ?? event);
      this.#recent.remember(++this.#head, event.terms);
    }
    return { kind: "written", storeId, firstSequence, versions, hadKey };
  }

  #firstMatch(items: readonly QueryItem[], after: number, budget?: CheckBudget): number | undefined {
    if (this.#mayBeWaiting(items, after)) {
      this.#append();
      // That was work for the writes before this one.
      budget?.skipTime();
    }
    const upTo = this.#appendedUpTo;
    return after < upTo ? firstMatch(this.#db, items, { after, upTo }, budget) : undefined;
  }

  #mayBeWaiting(items: readonly QueryItem[], after: number): boolean {
    const known = Math.max(after, this.#appendedUpTo);
    return known < this.#head && suspectsAfter(known, items, this.#recent, this.#head).length > 0;
  }

  #append(): void {
    if (this.#waiting.length === 0) return;
    appendEvents(this.#db, this.#appendedUpTo, this.#waiting);
    this.#appendedUpTo += this.#waiting.length;
    this.#waiting = [];
  }
}
