import { ApiError } from "../../model/errors.ts";
import { type Query, queryValues } from "../../model/query.ts";
import { isInTimeRange } from "../../model/time_range.ts";
import type { TermItem } from "../index_terms.ts";
import type { PreparedEvent } from "../prepare_event.ts";
import type { StoreState } from "../state.ts";
import { Subscription, type SubscriptionFilter } from "./subscription.ts";
import { termsMatch } from "./filter_terms.ts";

/** What large queries may take together that are watched for, so that they do not take all memory. */
const LARGE_BYTES_MAX = 64 * 1024 * 1024;

/** A smaller query needs no room, so that large ones keep nobody from waiting: all connections take 64 MiB for such. */
const FREE_BYTES = 32 * 1024;

/** Of a value that a query names: its text twice, its token, and its place among what is watched for. */
const VALUE_BYTES = 512;

/** What must be known of an event to see who waits for it. */
export type CommittedEvent = Pick<PreparedEvent, "timeMicros" | "terms">;

/** A part of a watch, found by something that an event must have. */
interface IndexEntry {
  readonly watch: Subscription;
  /** What else it asks of the event. Of the last event that can match, nothing. */
  readonly item: TermItem | "any" | "last";
}

/** Keys beside the tokens of terms, which are hexadecimal: every event has one, and one sequence the other. */
const EVERY = "every";
const lastKey = (sequence: number): string => `last ${sequence}`;

/**
 * What has just been committed, for those who wait for it. A commit looks up each term of its events among those that
 * are watched for, so that it hardly matters how many watch for others.
 */
export class CommitFeed {
  #state: StoreState;
  readonly #subscriptions = new Set<Subscription>();
  readonly #index = new Map<string, Set<IndexEntry>>();
  #largeBytes = 0;
  #isClosed = false;
  /** Called when somebody waits from now on. */
  onSubscribed: () => void = () => {};

  /** @param state the store as it was opened */
  constructor(state: StoreState) {
    this.#state = state;
  }

  /** The store as of what was told last. */
  get state(): StoreState {
    return this.#state;
  }

  /** How many wait. */
  get subscriptions(): number {
    return this.#subscriptions.size;
  }

  /**
   * Tells of events that were committed, in order; readers find them already. Those of which it was told are skipped.
   * @param storeId of the store in which they are, if there may be another one meanwhile
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

  /** Tells of more events than anybody remembers: every watch ends. */
  committedMany(head: number): void {
    this.#state = { ...this.#state, head: Math.max(head, this.#state.head) };
    for (const subscription of this.#subscriptions) subscription.end("arrived");
  }

  /** Tells that the store begins anew under another ID. */
  reset(storeId: string): void {
    this.#state = { storeId, head: 0 };
    for (const subscription of this.#subscriptions) subscription.end("reset");
  }

  /** Ends every watch, and those that are asked for from now on. */
  close(): void {
    this.#isClosed = true;
    for (const subscription of this.#subscriptions) subscription.end("over");
  }

  /**
   * Watches for the first event that matches, among those of which it is told from now on.
   * @throws ApiError `Unavailable` when the query is large, and too many large ones are watched for already
   */
  subscribe(watched: SubscriptionFilter): Subscription {
    const bytes = largeBytesOf(watched.query);
    if (this.#largeBytes + bytes > LARGE_BYTES_MAX) {
      throw new ApiError(
        "Unavailable",
        "the large queries of the reads that wait take too much memory; read without waitSeconds",
      );
    }
    this.#largeBytes += bytes;
    const left: (() => void)[] = [];
    const watch = new Subscription(watched, () => {
      this.#largeBytes -= bytes;
      this.#subscriptions.delete(watch);
      for (const leave of left) leave();
    });
    this.#subscriptions.add(watch);
    for (const [key, item] of this.#keysOf(watched)) left.push(this.#addToIndex(key, { watch, item }));
    if (this.#isClosed) watch.end("over");
    this.onSubscribed();
    return watch;
  }

  /** Where a watch is found, at least once by each event that it waits for. */
  *#keysOf({ beforeSequence, terms }: SubscriptionFilter): Generator<[string, IndexEntry["item"]]> {
    if (beforeSequence !== undefined) yield [lastKey(beforeSequence - 1), "last"];
    if (terms === "every") return yield [EVERY, "any"];
    for (const item of terms) {
      for (const term of this.#rarestOf(item)) yield [term, item];
    }
  }

  /**
   * An event that matches an item has each of its tags and one of its types. To find the item by one tag, or by all its
   * types, is enough: by those for which the fewest wait.
   */
  #rarestOf({ anyOf, allOf }: TermItem): readonly string[] {
    const ways = allOf.map((term) => [term]);
    if (anyOf.length > 0) ways.push([...anyOf]);
    const watchers = (way: string[]): number => Math.max(...way.map((key) => this.#subscribersOf(key)));
    return ways.reduce((rarest, way) => watchers(way) < watchers(rarest) ? way : rarest);
  }

  #subscribersOf(key: string): number {
    return this.#index.get(key)?.size ?? 0;
  }

  /** @returns what ends it */
  #addToIndex(key: string, lookout: IndexEntry): () => void {
    const others = this.#index.get(key) ?? new Set();
    this.#index.set(key, others.add(lookout));
    return () => {
      others.delete(lookout);
      if (others.size === 0) this.#index.delete(key);
    };
  }

  #notify(sequence: number, { timeMicros, terms }: CommittedEvent): void {
    const own = new Set(terms.split(" "));
    for (const key of [EVERY, lastKey(sequence), ...own]) {
      for (const { watch, item } of this.#index.get(key) ?? []) {
        if (item === "last" || isAwaited(watch.filter, item, sequence, timeMicros, own)) {
          watch.end("arrived");
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

/** What a query takes that is watched for; 0 when it is small. */
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
