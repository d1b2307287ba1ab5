import { matches } from "../../src/model/query.ts";
import type { Evidence } from "./evidence.ts";
import { inOrder } from "./check_decisions.ts";
import type { SeenEvent, SeenPage } from "./observed.ts";

/** Each page that ended with its trailer has exactly the matching events up to the head that it reports. */
export function faultsOfPages({ observations, readsReplicas }: Evidence): string[] {
  const ordered = new Map<string, SeenEvent[]>();
  const historyOf = (storeId: string): SeenEvent[] => {
    const events = ordered.get(storeId) ?? inOrder(observations.histories.of(storeId).values());
    ordered.set(storeId, events);
    return events;
  };
  const heads = readsReplicas ? undefined : new CertainHeads(observations);
  return observations.pages.flatMap((page) => {
    const where =
      `the page of store ${page.storeId} after ${page.after}, with head ${page.head}, limit ${page.limit}`;
    const fault = faultOfPage(page, historyOf(page.storeId)) ?? heads?.faultOf(page);
    return fault === undefined ? [] : [`${where}: ${fault}`];
  });
}

function faultOfPage(page: SeenPage, history: readonly SeenEvent[]): string | undefined {
  const { head, query, after, before = Infinity, isBackwards, limit, hasMore } = page;
  const last = Math.min(head, before - 1);
  const all = history.filter((event) =>
    event.sequence > after && event.sequence <= last && matches(query, event)
  );
  const wanted = (isBackwards ? all.reverse() : all).slice(0, limit);
  const found = page.events;
  if (found.some(({ sequence }, i) => sequence !== wanted[i]?.sequence) || found.length !== wanted.length) {
    const missing = wanted.filter((event) => !found.includes(event));
    return `it has ${found.length} events of ${wanted.length}; ${missing.length} are missing, such as ${
      missing[0]?.sequence ?? "none"
    }`;
  }
  // A lost store may have had events that no client saw.
  const isAllKnown = history.findLastIndex(({ sequence }) => sequence <= head) === head - 1;
  return hasMore === all.length > limit || (hasMore && !isAllKnown) ? undefined : `hasMore is ${hasMore}`;
}

/**
 * The head that a store certainly had before a read began. Where only the primary is read, no later page ends before
 * it.
 */
class CertainHeads {
  readonly #certain = new Map<string, { readonly at: number; readonly head: number }[]>();

  constructor({ pages, calls }: Evidence["observations"]) {
    const add = (storeId: string, at: number, head: number): void => {
      const heads = this.#certain.get(storeId) ?? [];
      this.#certain.set(storeId, heads);
      heads.push({ at, head });
    };
    for (const { storeId, ended, head } of pages) add(storeId, ended, head);
    for (const { outcome, ended } of calls) {
      if (outcome.kind !== "done" || outcome.storeId === undefined) continue;
      add(outcome.storeId, ended, outcome.events?.at(-1)?.sequence ?? 0);
    }
    for (const heads of this.#certain.values()) {
      heads.sort((a, b) => a.at - b.at);
      let highest = 0;
      heads.forEach(({ at, head }, i) => heads[i] = { at, head: highest = Math.max(highest, head) });
    }
  }

  faultOf({ storeId, head, begun }: SeenPage): string | undefined {
    const heads = this.#certain.get(storeId) ?? [];
    let [low, high] = [0, heads.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (heads[middle]!.at < begun) low = middle + 1;
      else high = middle;
    }
    const certain = heads[low - 1]?.head ?? 0;
    return head >= certain ? undefined : `the head was ${certain} before it was asked for`;
  }
}
