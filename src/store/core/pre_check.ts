import type { Condition } from "../../model/condition.ts";
import { ClientDisconnected } from "../../model/errors.ts";
import { QUERY_ITEMS_MAX } from "../../model/limits.ts";
import { type QueryItem, queryValues } from "../../model/query.ts";
import type { Chunk, ChunkRequest } from "../api/chunk.ts";
import type { Client, StoreReads } from "../api/store.ts";
import type { Checked, CheckedCondition } from "../api/write.ts";

/** Conditions that name more values are pre-checked at once, without trying them in the write transaction first. */
const TRIED_VALUES_MAX = 200;

/** True when conditions are so large that they should be pre-checked at once. For most others, only a try shows it. */
export function areOverBudget(conditions: readonly Condition[]): boolean {
  let values = 0;
  for (const { failIfEventsMatch } of conditions) values += queryValues(failIfEventsMatch);
  return values > TRIED_VALUES_MAX;
}

/**
 * Checks conditions before the write transaction of their write, if they would delay the writes behind it. The
 * pre-check takes a few milliseconds at a time, in parallel with other reads. The transaction then checks only events
 * that were written since.
 * @returns the conditions, each with what is known of it. The first that does not hold is known to fail, and later
 *   ones are not checked. After a reset in the middle, nothing is known
 * @throws ClientDisconnected
 */
export async function preCheck(
  reads: Pick<StoreReads, "chunk">,
  conditions: readonly CheckedCondition[],
  client: Client | undefined,
): Promise<readonly CheckedCondition[]> {
  const search = new PreCheckSearch(reads, client);
  const checked = [...conditions];
  try {
    for (const run of runsOf(conditions)) {
      const known = await search.check(run.map((i) => conditions[i]!));
      for (const [place, each] of known.entries()) {
        const i = run[place]!;
        checked[i] = { ...conditions[i]!, checked: each };
      }
      if (known.at(-1)?.matched) break;
    }
    return checked;
  } catch (error) {
    if (error instanceof OtherStore) return conditions.map(({ checked: _, ...condition }) => condition);
    throw error;
  }
}

/** The store was replaced by another one, so earlier results are void. */
class OtherStore extends Error {}

/** The searches for the conditions of one write. */
class PreCheckSearch {
  readonly #reads: Pick<StoreReads, "chunk">;
  readonly #client: Client | undefined;
  #storeId: string | undefined;

  constructor(reads: Pick<StoreReads, "chunk">, client: Client | undefined) {
    this.#reads = reads;
    this.#client = client;
  }

  /**
   * Checks conditions that can be searched for together. When an event matches, the first condition that it matches
   * fails. The conditions before that one are searched from there on, so no event is searched twice.
   * @returns what is known of each, up to the first that fails
   */
  async check(conditions: readonly CheckedCondition[]): Promise<readonly Checked[]> {
    const [{ afterSequence, checked }] = conditions as [CheckedCondition];
    this.#storeId ??= checked?.storeId;
    let count = conditions.length;
    let failing: Checked | undefined;
    let known = { upTo: Math.max(afterSequence, checked?.upTo ?? 0), head: undefined as number | undefined };
    while (count > 0) {
      const { last, head, end } = await this.#search(conditions.slice(0, count), known);
      if (!end.hasMore) {
        known = { upTo: last, head };
        break;
      }
      count = await this.#firstMatching(conditions.slice(0, count), last + 1);
      failing = { storeId: this.#storeId!, upTo: last, matched: true };
      known = { upTo: last + 1, head };
    }
    const holding = { storeId: this.#storeId!, upTo: known.upTo, matched: false };
    const all: Checked[] = Array.from({ length: count }, () => holding);
    return failing === undefined ? all : [...all, failing];
  }

  /** Returns the index of the first of these conditions that an event matches; it matches at least one of them. */
  async #firstMatching(conditions: readonly CheckedCondition[], sequence: number): Promise<number> {
    let [low, high] = [0, conditions.length - 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const range = { upTo: sequence - 1, head: sequence };
      const { end } = await this.#search(conditions.slice(low, middle + 1), range);
      if (end.hasMore) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Searches for the first event of a range that matches any of these conditions. */
  async #search(
    conditions: readonly CheckedCondition[],
    { upTo, head }: { readonly upTo: number; readonly head: number | undefined },
  ): Promise<{ readonly last: number; readonly head: number; readonly end: { readonly hasMore: boolean } }> {
    const query = conditions.flatMap(({ failIfEventsMatch }) => failIfEventsMatch as readonly QueryItem[]);
    const first = { query, afterSequence: upTo, limit: 0, head };
    let chunk = await this.#chunk(first);
    const end = head ?? chunk.head;
    while (chunk.end === false) {
      const { last, continuation } = chunk;
      chunk = await this.#chunk({ ...first, afterSequence: last, head: end, continuation });
    }
    return { last: chunk.last, head: end, end: chunk.end };
  }

  async #chunk(request: ChunkRequest): Promise<Chunk> {
    if (this.#client?.disconnected.aborted) throw new ClientDisconnected();
    const chunk = await this.#reads.chunk(request, this.#client, true);
    this.#storeId ??= chunk.storeId;
    // A reset makes the results void.
    const isSame = chunk.storeId === this.#storeId && chunk.head >= (request.head ?? 0);
    if (!isSame) throw new OtherStore();
    return chunk;
  }
}

/** The indexes of conditions that can be searched for together: neighbours whose search starts at the same event. */
function runsOf(conditions: readonly CheckedCondition[]): number[][] {
  const runs: number[][] = [];
  let [items, start] = [Infinity, ""];
  for (const [i, { failIfEventsMatch: query, afterSequence, checked }] of conditions.entries()) {
    if (typeof query === "string") continue;
    const own = JSON.stringify([afterSequence, checked]);
    if (own === start && items + query.length <= QUERY_ITEMS_MAX) runs.at(-1)!.push(i);
    else {
      runs.push([i]);
      [items, start] = [0, own];
    }
    items += query.length;
  }
  return runs;
}
