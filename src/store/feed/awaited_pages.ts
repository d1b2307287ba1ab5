import { ClientDisconnected } from "../../model/errors.ts";
import type { ReadRequest } from "../../model/read_request.ts";
import { emptyPage, isEmptyPage, openPage, type Page } from "../open_page.ts";
import type { Client, Store } from "../store.ts";
import { Semaphore } from "./semaphore.ts";
import type { Subscription, SubscriptionEnd } from "./subscription.ts";
import type { FilterTerms } from "./filter_terms.ts";

/** Reads at once of those that have waited: one event may end the waiting of a thousand, and others read as well. */
const READS_AT_ONCE = 64;

/** What a page asks for, and how long it waits for that. */
export interface AwaitedRead extends ReadRequest {
  /** How long the page may take, in all. */
  readonly waitSeconds: number;
  /** The query in index terms. */
  readonly terms: FilterTerms;
}

/** Pages that wait until there is an event on them. Meanwhile they hold no reader and no snapshot. */
export class AwaitedPages {
  readonly #store: Pick<Store, "reads" | "feed">;
  readonly #turnstile = new Semaphore(READS_AT_ONCE);

  constructor(store: Pick<Store, "reads" | "feed">) {
    this.#store = store;
  }

  /**
   * Reads a page. If it is empty, waits for an event that matches, and reads it again; it stays empty when none comes
   * in time, or none can. After a reset, it is the page of a store without events.
   * @param onWaiting called when it waits; what it waits for counts as memory of its own from then on
   * @throws ApiError `Unavailable` when too many are reading or waiting, ClientDisconnected
   */
  async page(
    { waitSeconds, terms, ...request }: AwaitedRead,
    client: Client,
    onWaiting: () => void = () => {},
  ): Promise<Page> {
    const endAt = performance.now() + 1000 * waitSeconds;
    const { reads, feed } = this.#store;
    let page = await openPage(reads, request, client);
    const { storeId } = page;
    const canMatch = terms === "every" || terms.length > 0;
    const mayWait = (): boolean =>
      page.storeId === storeId && isEmptyPage(page) && canMatch && !isPast(request, page) &&
      performance.now() < endAt;
    while (mayWait()) {
      using watch = feed.subscribe({ ...request, terms });
      onWaiting();
      // What was committed before the watch began, it does not notice.
      const { state } = feed;
      if (state.storeId !== storeId) page = await this.#readOn(request, page, client);
      // One reading may not be enough: replicas lag.
      while (mayWait() && state.storeId === storeId && state.head > page.head) {
        page = await this.#readOn(request, page, client);
      }
      if (!mayWait()) break;
      const why = await endOf(watch, endAt, client);
      // A reader may have seen the new store before anybody was told of it.
      if (why === "reset" && feed.state.storeId !== storeId) return emptyPage(feed.state.storeId);
      page = await this.#readOn(request, page, client);
      if (why === "over") break;
    }
    // A position in the old store means nothing in the new one.
    return page.storeId === storeId ? page : emptyPage(page.storeId);
  }

  /** Reads a page again that was empty. */
  #readOn(request: ReadRequest, { head }: Page, client: Client): Promise<Page> {
    return this.#turnstile.pass(async () => {
      if (client.disconnected.aborted) throw new ClientDisconnected();
      const afterSequence = Math.max(request.afterSequence, head);
      return await openPage(this.#store.reads, { ...request, afterSequence }, client);
    });
  }
}

/** Whether the store has come to the end of what a page asks for. */
function isPast({ afterSequence, beforeSequence = Infinity }: ReadRequest, { head }: Page): boolean {
  return Math.max(afterSequence, head) + 1 >= beforeSequence;
}

/** Waits for the end of a watch. @throws ClientDisconnected */
async function endOf(
  watch: Subscription,
  endAt: number,
  { disconnected }: Client,
): Promise<SubscriptionEnd> {
  const giveUp = (): void => watch.end("over");
  const timer = setTimeout(giveUp, endAt - performance.now());
  disconnected.addEventListener("abort", giveUp);
  try {
    if (disconnected.aborted) giveUp();
    const why = await watch.ended;
    if (disconnected.aborted) throw new ClientDisconnected();
    return why;
  } finally {
    clearTimeout(timer);
    disconnected.removeEventListener("abort", giveUp);
  }
}
