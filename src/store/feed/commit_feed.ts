import { MemoryQuota } from "../../async/memory_quota.ts";
import { ApiError } from "../../model/errors.ts";
import { type Query, queryValues } from "../../model/query.ts";
import { isInTimeRange } from "../../model/time_range.ts";
import type { TermItem } from "../core/index_terms.ts";
import type { PreparedEvent } from "../core/prepare_event.ts";
import type { StoreState } from "../api/state.ts";
import { Subscription, type SubscriptionFilter } from "./subscription.ts";
import { termsMatch } from "./filter_terms.ts";

/** The memory that the subscriptions with large queries may take together, so that they cannot take all of it. */
const LARGE_BYTES_MAX = 64 * 1024 * 1024;

/**
 * A smaller query counts nothing, so large queries never block small ones. All connections together take 64 MiB for
 * small ones.
 */
const FREE_BYTES = 32 * 1024;

/** The memory for one value of a query: its text twice, its token, and its entry in the index. */
const VALUE_BYTES = 512;

/** The fields of an event that decide which subscriptions it matches. */
export type CommittedEvent = Pick<PreparedEvent, "timeMicros" | "terms">;

/** An index entry of a subscription, listed under a key that every event it matches must have. */
interface IndexEntry {
  readonly subscription: Subscription;
  /** The other conditions on the event. "last": none, since this is the last event that can match. */
  readonly item: TermItem | "any" | "last";
}

/**
 * Keys in addition to the tokens of terms, which are hexadecimal. Every event has the key `EVERY`, and one sequence
 * has its `lastKey`.
 */
const EVERY = "every";
const lastKey = (sequence: number): string => `last ${sequence}`;

/**
 * CommitFeed notifies subscriptions of committed events. A commit looks up each term of its events in an index of the
 * subscriptions, so subscriptions to other events cost it almost nothing.
 */
export class CommitFeed {
  #state: StoreState;
  readonly #subscriptions = new Set<Subscription>();
  readonly #index = new Map<string, Set<IndexEntry>>();
  readonly #large = new MemoryQuota(LARGE_BYTES_MAX);
  #isClosed = false;
  /** Called after each new subscription. */
  onSubscribed: () => void = () => {};

  /** @param state the store as it was opened */
  constructor(state: StoreState) {
    this.#state = state;
  }

  /** The store as of the last notification. */
  get state(): StoreState {
    return this.#state;
  }

  get subscriptions(): number {
    return this.#subscriptions.size;
  }

  /**
   * Reports committed events, in order. Readers can already read them. Events that were reported before are skipped.
   * @param storeId the store that contains the events, if the feed may have changed to another one meanwhile
   */
  committed(
    firstSequence: number,
    events: readonly CommittedEvent[],
    storeId: string = this.#state.storeId,
  ): void {
    const { head } = this.#state;
    if (storeId !== this.#state.storeId || firstSequence + events.length - 1 <= head) return;
    this.#state = { storeId, head: firstSequence + events.length - 1 };
    for (const [i, event] of events.entries()) {
      if (this.#subscriptions.size === 0) return;
      if (firstSequence + i > head) this.#notify(firstSequence + i, event);
    }
  }

  /** Reports a commit whose events are not in memory: every subscription ends. */
  committedMany(head: number): void {
    this.#state = { ...this.#state, head: Math.max(head, this.#state.head) };
    for (const subscription of this.#subscriptions) subscription.end("arrived");
  }

  /** Reports that the store starts anew under another ID. */
  reset(storeId: string): void {
    this.#state = { storeId, head: 0 };
    for (const subscription of this.#subscriptions) subscription.end("reset");
  }

  /** Ends every subscription, and each later one as soon as it begins. */
  close(): void {
    this.#isClosed = true;
    for (const subscription of this.#subscriptions) subscription.end("over");
  }

  /**
   * Subscribes to the first event that matches, among those committed from now on.
   * @throws ApiError `Unavailable` when the query is large, and the large ones already take too much memory
   */
  subscribe(filter: SubscriptionFilter): Subscription {
    const bytes = largeBytesOf(filter.query);
    if (!this.#large.fits(bytes)) {
      throw new ApiError(
        "Unavailable",
        "the large queries of the reads that wait take too much memory; read without waitSeconds",
      );
    }
    this.#large.take(bytes);
    const removals: (() => void)[] = [];
    const subscription = new Subscription(filter, () => {
      this.#large.release(bytes);
      this.#subscriptions.delete(subscription);
      for (const remove of removals) remove();
    });
    this.#subscriptions.add(subscription);
    for (const [key, item] of this.#keysOf(filter)) {
      removals.push(this.#addToIndex(key, { subscription, item }));
    }
    if (this.#isClosed) subscription.end("over");
    this.onSubscribed();
    return subscription;
  }

  /** The index keys of a subscription. Each event that it waits for has at least one of them. */
  *#keysOf({ beforeSequence, terms }: SubscriptionFilter): Generator<[string, IndexEntry["item"]]> {
    if (beforeSequence !== undefined) yield [lastKey(beforeSequence - 1), "last"];
    if (terms === "every") return yield [EVERY, "any"];
    for (const item of terms) {
      for (const term of this.#rarestOf(item)) yield [term, item];
    }
  }

  /**
   * Returns the keys under which an item is listed. A matching event has each of the item's tags and one of its
   * types. So one tag is enough, or all types: this chooses the alternative with the fewest subscriptions.
   */
  #rarestOf({ anyOf, allOf }: TermItem): readonly string[] {
    const ways = allOf.map((term) => [term]);
    if (anyOf.length > 0) ways.push([...anyOf]);
    const subscribers = (way: string[]): number => Math.max(...way.map((key) => this.#subscribersOf(key)));
    return ways.reduce((rarest, way) => subscribers(way) < subscribers(rarest) ? way : rarest);
  }

  #subscribersOf(key: string): number {
    return this.#index.get(key)?.size ?? 0;
  }

  /** @returns a function that removes the entry */
  #addToIndex(key: string, entry: IndexEntry): () => void {
    const others = this.#index.get(key) ?? new Set();
    this.#index.set(key, others.add(entry));
    return () => {
      others.delete(entry);
      if (others.size === 0) this.#index.delete(key);
    };
  }

  #notify(sequence: number, { timeMicros, terms }: CommittedEvent): void {
    const own = new Set(terms.split(" "));
    for (const key of [EVERY, lastKey(sequence), ...own]) {
      for (const { subscription, item } of this.#index.get(key) ?? []) {
        if (item === "last" || isAwaited(subscription.filter, item, sequence, timeMicros, own)) {
          subscription.end("arrived");
        }
      }
    }
  }
}

function isAwaited(
  { afterSequence, time }: SubscriptionFilter,
  item: TermItem | "any",
  sequence: number,
  timeMicros: number,
  terms: ReadonlySet<string>,
): boolean {
  return sequence > afterSequence && (item === "any" || termsMatch(item, terms)) &&
    (time === undefined || isInTimeRange(time, timeMicros));
}

/** The memory that a subscription with this query takes; 0 when the query is small. */
function largeBytesOf(query: Query): number {
  if (typeof query === "string") return 0;
  let units = 0;
  for (const { types, identifiers, metadata } of query) {
    for (const type of types) units += type.length;
    for (const { name, value } of [...identifiers, ...metadata]) units += name.length + value.length;
  }
  const bytes = 2 * units + VALUE_BYTES * queryValues(query);
  return bytes <= FREE_BYTES ? 0 : bytes;
}
