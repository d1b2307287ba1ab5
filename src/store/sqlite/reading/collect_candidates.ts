import { listsOf, type QueryItem } from "../../../model/query.ts";
import { type TermItem, termItem } from "../../core/index_terms.ts";
import type { Database } from "../connection/database.ts";
import { anyOfExpression, indexedSequences, itemExpression, termExpression } from "../tables/tag_index.ts";
import {
  contains,
  endOf,
  positionBehind,
  type Range,
  seenOf,
  sortedFor,
  startOf,
} from "../../core/ranges/direction.ts";
import { entriesTo, type SearchOptions, steppingMicroseconds } from "./search_options.ts";
import {
  LISTED_ROW_MICROSECONDS,
  LOOKUP_MICROSECONDS,
  PARSE_MICROSECONDS,
  SEQUENCE_MICROSECONDS,
  WALKED_ENTRY_MICROSECONDS,
} from "./step_cost.ts";
import type { Window } from "./step.ts";

/*
 * Asks the tag index which events of a range may match. For each item, these are the events in its list that seems
 * shortest. The events themselves then show whether they have the item's other tags.
 *
 * FTS5 could intersect the lists, but it walks them from their start (backwards: from their end), however far from
 * there the range begins, and this cannot be interrupted. A search in one list starts where the range begins. So only
 * lists that are all long are intersected, where the walk costs less than reading the events that it excludes.
 */

/**
 * The number of sequences of one item that are requested at once: few, since a chunk ends after some hundred events.
 */
const SEQUENCES_MIN = 1024;
const SEQUENCES_MAX = 20_000;
const SEQUENCES_PER_LOOKUP = 150;

/** The same with a budget: checking so many events takes about a millisecond. */
const BUDGETED_SEQUENCES_MAX = 1024;

/** When a list has fewer entries in the range, the other lists of its item are not read. */
const SHORT_LIST = 64;

/**
 * The most list entries that FTS5 may walk to intersect lists. The count weighs many lists more. No list is longer
 * than the store.
 */
const WALKED_ENTRIES_MAX = 4_000_000;
const BUDGETED_WALKED_ENTRIES_MAX = 50_000;

/** The search for a short list of an item ends after this time: backwards and far from the end, a lookup is slow. */
const ASKING_MICROSECONDS_MAX = 10_000;

/** The approximate length of a term in an expression. */
const TERM_UNITS = 38;

/** The number of terms that are looked up to collect the candidates of these items. */
export function lookupsFor(items: readonly QueryItem[]): number {
  let lookups = 0;
  for (const { types, identifiers, metadata } of items) {
    const tags = identifiers.length + metadata.length;
    // Of several lists, usually the first or the second is short.
    lookups += tags === 0 ? types.length : Math.min(2, tags + types.length);
  }
  return lookups;
}

/** Collects the candidates of a range, item by item. When there are too many, it ends the window earlier. */
export class CandidateCollection {
  readonly #db: Database;
  readonly #items: readonly QueryItem[];
  #range: Range;
  #itemsDone: number;
  #candidates: number[];
  #isDense = false;
  readonly #sequencesMax: number;
  /** The number of lists of all items. */
  readonly #lists: number;
  readonly #options: SearchOptions;
  #unchecked: Window["unchecked"];
  #lookups = 0;
  /**
   * The expressions of long lists. The value is the number of events among which their first sequences in the range
   * lie.
   */
  readonly #long = new Map<string, number>();

  constructor(
    db: Database,
    items: readonly QueryItem[],
    begun: Window,
    options: SearchOptions,
  ) {
    this.#db = db;
    this.#items = items;
    this.#range = { after: begun.after, upTo: begun.upTo };
    this.#itemsDone = begun.itemsDone;
    this.#candidates = begun.candidates === "every" ? [] : [...begun.candidates];
    this.#unchecked = begun.unchecked;
    const affordable = SEQUENCES_PER_LOOKUP * lookupsFor(items);
    this.#sequencesMax = options.budget === undefined
      ? Math.min(SEQUENCES_MAX, Math.max(SEQUENCES_MIN, affordable))
      : BUDGETED_SEQUENCES_MAX;
    this.#options = options;
    this.#lists = items.reduce((lists, item) => lists + listsOf(item), 0);
  }

  /** The number of lookups in the last step. */
  get lookups(): number {
    return this.#lookups;
  }

  get done(): boolean {
    return this.#isDense || this.#itemsDone === this.#items.length;
  }

  get window(): Window {
    return {
      ...this.#range,
      itemsDone: this.#itemsDone,
      candidates: this.#isDense ? "every" : this.#candidates,
      unchecked: this.#unchecked,
    };
  }

  /** Collects the candidates of the next item. */
  step(): void {
    this.#lookups = 0;
    const item = this.#items[this.#itemsDone++]!;
    const unchecked = this.#collect(item, termItem(item));
    // With several items, a candidate of one may match another.
    if (unchecked !== undefined) this.#unchecked = this.#items.length === 1 ? unchecked : "everything";
    if (this.done || this.#candidates.length > 2 * this.#sequencesMax) this.#settle();
    // With so many, it is cheaper to read all events than to look up the other items.
    const { after, upTo } = this.#range;
    this.#isDense = this.#items.length > 1 && this.#candidates.length > (upTo - after) / 2;
  }

  /** @returns the conditions that the candidates must still be checked for */
  #collect(item: QueryItem, terms: TermItem): QueryItem | undefined {
    const lists = terms.allOf.map(termExpression);
    if (terms.anyOf.length > 0) lists.push(anyOfExpression(terms.anyOf));
    if (lists.length === 1) return void this.#add(lists[0]!, this.#options.eventsMax);
    const amongs: number[] = [];
    const start = startOf(this.#range, this.#options.direction);
    const lookup = LOOKUP_MICROSECONDS + steppingMicroseconds(start, this.#options);
    for (const [i, list] of lists.entries()) {
      if (i * lookup > ASKING_MICROSECONDS_MAX) break;
      let among = this.#long.get(list);
      if (among === undefined) {
        const sequences = this.#ask(list, SHORT_LIST);
        if (sequences.length < SHORT_LIST) {
          this.#candidates.push(...sequences);
          return withoutList(item, i);
        }
        const { after, upTo } = this.#rangeUpTo(sequences.at(-1)!);
        among = upTo - after;
        this.#long.set(list, among);
      }
      amongs.push(among);
    }
    if (this.#mayWalk && this.#isCheaperToWalk(amongs)) return this.#walk(lists, terms);
    const sparsest = amongs.indexOf(Math.max(...amongs));
    this.#add(lists[sparsest]!, Infinity);
    return withoutList(item, sparsest);
  }

  get #mayWalk(): boolean {
    const entriesMax = this.#options.budget === undefined ? WALKED_ENTRIES_MAX : BUDGETED_WALKED_ENTRIES_MAX;
    return this.#lists ** 2 * this.#entriesWalked <= entriesMax;
  }

  /** The most entries of one list up to the end of the range. */
  get #entriesWalked(): number {
    return entriesTo(endOf(this.#range, this.#options.direction), this.#options);
  }

  /**
   * Compares walking all lists with checking every event of the sparsest one for its other tags. The walk also saves
   * reading the events that do not match. This takes the lists for independent of each other.
   * @param amongs for each list, the number of events among which its first entries lie
   */
  #isCheaperToWalk(amongs: readonly number[]): boolean {
    const shares = amongs.map((among) => SHORT_LIST / among);
    const sparsest = Math.min(...shares);
    const matching = shares.reduce((product, share) => product * share) / sparsest;
    const { after, upTo } = this.#range;
    const walk = shares.reduce((sum, share) => sum + share) * this.#entriesWalked * WALKED_ENTRY_MICROSECONDS;
    const check = PARSE_MICROSECONDS + (1 - matching) * LISTED_ROW_MICROSECONDS;
    return walk < sparsest * (upTo - after) * check;
  }

  #walk(lists: readonly string[], terms: TermItem): undefined {
    const { eventsMax, budget } = this.#options;
    this.#add(itemExpression(terms), eventsMax);
    budget?.spend(lists.length * this.#entriesWalked * WALKED_ENTRY_MICROSECONDS);
  }

  #add(expression: string, eventsMax: number): void {
    const rowsMax = Math.min(this.#sequencesMax, eventsMax);
    const sequences = this.#ask(expression, rowsMax);
    if (this.#items.length === 1) this.#candidates = sequences;
    else for (const sequence of sequences) this.#candidates.push(sequence);
    if (sequences.length === rowsMax) this.#range = this.#rangeUpTo(sequences.at(-1)!);
  }

  #ask(expression: string, rowsMax: number): number[] {
    const lookups = Math.ceil(expression.length / TERM_UNITS);
    this.#lookups += lookups;
    const { direction, budget } = this.#options;
    const sequences = indexedSequences(this.#db, expression, this.#range, rowsMax, direction);
    budget?.spend(lookups * LOOKUP_MICROSECONDS + sequences.length * SEQUENCE_MICROSECONDS);
    return sequences;
  }

  /** Returns the range with this event as its last one in the order of the search. */
  #rangeUpTo(sequence: number): Range {
    const { direction } = this.#options;
    return seenOf(this.#range, positionBehind(sequence, direction), direction);
  }

  /** Sorts the candidates, and leaves excess ones to the next window. */
  #settle(): void {
    if (this.#items.length === 1) return;
    const distinct: number[] = [];
    for (const sequence of sortedFor(this.#candidates, this.#options.direction)) {
      if (!contains(this.#range, sequence) || distinct.length === this.#sequencesMax) break;
      if (sequence !== distinct.at(-1)) distinct.push(sequence);
    }
    const last = distinct.at(-1);
    if (distinct.length === this.#sequencesMax && last !== undefined) this.#range = this.#rangeUpTo(last);
    this.#candidates = distinct;
  }
}

/**
 * Returns an item without one of its lists. The lists are its identifiers, then its metadata, then all its types as
 * one.
 */
function withoutList({ types, identifiers, metadata }: QueryItem, list: number): QueryItem {
  return {
    types: list === identifiers.length + metadata.length ? [] : types,
    identifiers: identifiers.filter((_, i) => i !== list),
    metadata: metadata.filter((_, i) => i !== list - identifiers.length),
  };
}
