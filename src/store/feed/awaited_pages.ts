import { ClientDisconnected } from "../../model/errors.ts";
import type { ReadRequest } from "../../model/read_request.ts";
import { emptyPage, isEmptyPage, openPage, type Page } from "../core/open_page.ts";
import type { Client, Store } from "../api/store.ts";
import { Semaphore } from "../../async/semaphore.ts";
import type { Subscription, SubscriptionEnd } from "./subscription.ts";
import type { FilterTerms } from "./filter_terms.ts";

/**
 * The number of waiting pages that are read at once. One event may end the waits of a thousand, and others read as
 * well.
 */
const READS_AT_ONCE = 64;

/** A page request, and how long it may wait for events. */
export interface AwaitedRead extends ReadRequest {
  /** How long the page may take, in all. */
  readonly waitSeconds: number;
  /** The query in index terms. */
  readonly terms: FilterTerms;
}

/** Pages that wait until an event matches. Meanwhile they hold no reader and no snapshot. */
export class AwaitedPages {
  readonly #store: Pick<Store, "reads" | "feed">;
  readonly #semaphore = new Semaphore(READS_AT_ONCE);

  constructor(store: Pick<Store, "reads" | "feed">) {
    this.#store = store;
  }

  /**
   * Reads a page. If it is empty, waits for an event that matches, and reads the page again. The page stays empty
   * when no event comes in time, or none can match. After a reset, it is the page of a store without events.
   * @param onWaiting called when the page begins to wait; from then on, the memory of the subscription is counted
   *   separately
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
      using subscription = feed.subscribe({ ...request, terms });
      onWaiting();
      // The subscription is not notified of earlier commits.
      const { state } = feed;
      if (state.storeId !== storeId) page = await this.#readAgain(request, page, client);
      // One read may not be enough: replicas lag.
      while (mayWait() && state.storeId === storeId && state.head > page.head) {
        page = await this.#readAgain(request, page, client);
      }
      if (!mayWait()) break;
      const why = await endOf(subscription, endAt, client);
      // A reader may have seen the new store before the feed was notified of the reset.
      if (why === "reset" && feed.state.storeId !== storeId) return emptyPage(feed.state.storeId);
      page = await this.#readAgain(request, page, client);
      if (why === "over") break;
    }
    // A position in the old store means nothing in the new one.
    return page.storeId === storeId ? page : emptyPage(page.storeId);
  }

  /** Reads a page again that was empty. */
  #readAgain(request: ReadRequest, { head }: Page, client: Client): Promise<Page> {
    return this.#semaphore.pass(async () => {
      if (client.disconnected.aborted) throw new ClientDisconnected();
      const afterSequence = Math.max(request.afterSequence, head);
      return await openPage(this.#store.reads, { ...request, afterSequence }, client);
    });
  }
}

/** True when the store has passed the range that a page asks for. */
function isPast({ afterSequence, beforeSequence = Infinity }: ReadRequest, { head }: Page): boolean {
  return Math.max(afterSequence, head) + 1 >= beforeSequence;
}

/**
 * Waits for the end of a subscription.
 * @throws ClientDisconnected
 */
async function endOf(
  subscription: Subscription,
  endAt: number,
  { disconnected }: Client,
): Promise<SubscriptionEnd> {
  const giveUp = (): void => subscription.end("over");
  const timer = setTimeout(giveUp, endAt - performance.now());
  disconnected.addEventListener("abort", giveUp);
  try {
    if (disconnected.aborted) giveUp();
    const why = await subscription.ended;
    if (disconnected.aborted) throw new ClientDisconnected();
    return why;
  } finally {
    clearTimeout(timer);
    disconnected.removeEventListener("abort", giveUp);
  }
}
