import type { Condition } from "../model/condition.ts";
import { ClientLeft } from "../model/errors.ts";
import { QUERY_ITEMS_MAX } from "../model/limits.ts";
import { listsOf, type QueryItem, queryValues } from "../model/query.ts";
import type { Client, StoreReads } from "./store.ts";
import type { CheckedCondition } from "./write.ts";

/** What the conditions of one write may cost in its turn. More is checked before the turn, which takes longer. */
const TURN_MICROSECONDS_MAX = 1000;

/** So far back, the writer remembers which terms have appeared. */
const REMEMBERED_EVENTS = 1000;
const REMEMBERED_VALUE_MICROSECONDS = 1;
const LOOKUP_MICROSECONDS = 25;
/** To intersect the lists of an item, for each event of the store. */
const INTERSECTED_EVENT_MICROSECONDS = 0.02;

/**
 * Checks conditions that would hold up the writes behind theirs, before the write joins the queue: a few
 * milliseconds at a time, beside other reads. In the turn, only events that were written since then are checked.
 */
export class AheadChecks {
  readonly #reads: Pick<StoreReads, "chunk">;
  /** The head of the store, as far as it is known here. */
  #head: number;

  constructor(reads: Pick<StoreReads, "chunk">, head: number) {
    this.#reads = reads;
    this.#head = head;
  }

  /** Tells of an event that was written. */
  noteHead(head: number): void {
    this.#head = head;
  }

  /** Whether conditions cost so much that they should be checked ahead. */
  areCostly(conditions: readonly Condition[]): boolean {
    let micros = 0;
    for (const condition of conditions) micros += this.#microsecondsFor(condition);
    return micros > TURN_MICROSECONDS_MAX;
  }

  /**
   * The conditions, each with how far it certainly holds. The first that does not hold is known to do so up to the
   * event that matches, so that its turn finds this at once; those behind it are not looked at.
   * @throws Refusal `Unavailable` when too many reads are already waiting, ClientLeft
   */
  async check(
    conditions: readonly Condition[],
    client: Client | undefined,
  ): Promise<readonly CheckedCondition[]> {
    const checked: CheckedCondition[] = [...conditions];
    for (const run of runsOf(conditions)) {
      const together = await this.#search(run.map((i) => checked[i]!), client);
      for (const i of run) checked[i] = { ...checked[i]!, checked: together };
      if (!together.matched) continue;
      for (const i of run.length === 1 ? [] : run) {
        const alone = await this.#search([checked[i]!], client);
        checked[i] = { ...checked[i]!, checked: alone };
        if (alone.matched) break;
      }
      break;
    }
    return checked;
  }

  /** Searches for the first event that matches any of these conditions, which count from the same sequence. */
  async #search(conditions: readonly CheckedCondition[], client: Client | undefined): Promise<Searched> {
    const [{ afterSequence, checked }] = conditions as [CheckedCondition];
    const query = conditions.flatMap(({ failIfEventsMatch }) => failIfEventsMatch as readonly QueryItem[]);
    const first = { query, afterSequence: Math.max(afterSequence, checked?.upTo ?? 0), limit: 0 };
    let chunk = await this.#reads.chunk({ ...first, head: undefined }, client);
    const { storeId, head } = chunk;
    this.#head = head;
    while (chunk.end === false) {
      if (client?.left.aborted) throw new ClientLeft();
      const { last, kept } = chunk;
      chunk = await this.#reads.chunk({ ...first, afterSequence: last, head, kept }, client);
      // After a reset, what was found out is worth nothing.
      if (chunk.storeId !== storeId) return { storeId, upTo: 0, matched: true };
    }
    return { storeId, upTo: chunk.last, matched: chunk.end.hasMore };
  }

  #microsecondsFor({ failIfEventsMatch: query, afterSequence }: Condition): number {
    if (typeof query === "string") return 0;
    const values = queryValues(query);
    if (afterSequence >= this.#head - REMEMBERED_EVENTS) return values * REMEMBERED_VALUE_MICROSECONDS;
    const intersects = query.some((item) => listsOf(item) > 1);
    return values * LOOKUP_MICROSECONDS + (intersects ? this.#head * INTERSECTED_EVENT_MICROSECONDS : 0);
  }
}

type Searched = NonNullable<CheckedCondition["checked"]> & { readonly matched: boolean };

/** The places of conditions that can be searched for together: neighbours that count from the same sequence. */
function runsOf(conditions: readonly Condition[]): number[][] {
  const runs: number[][] = [];
  let [items, after] = [Infinity, -1];
  for (const [i, { failIfEventsMatch: query, afterSequence }] of conditions.entries()) {
    if (typeof query === "string") continue;
    if (afterSequence === after && items + query.length <= QUERY_ITEMS_MAX) runs.at(-1)!.push(i);
    else {
      runs.push([i]);
      [items, after] = [0, afterSequence];
    }
    items += query.length;
  }
  return runs;
}
