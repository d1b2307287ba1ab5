import { type QueryItem, simplifiedItems } from "../../../model/query.ts";
import type { Database } from "../connection/database.ts";
import { type EventRow, scanEvents } from "../tables/events.ts";
import {
  beginningOf,
  contains,
  type Direction,
  endOf,
  positionBehind,
  type Range,
  restOf,
  startOf,
} from "../../core/ranges/direction.ts";
import { batchesAt, batchesOf } from "./event_batches.ts";
import { CandidateCollection, lookupsFor } from "./collect_candidates.ts";
import { Matcher } from "../../core/matcher.ts";
import { type SearchOptions, steppingMicroseconds } from "./search_options.ts";
import { LOOKUP_MICROSECONDS, PARSE_MICROSECONDS, rowsMicroseconds } from "./step_cost.ts";
import type { Step, Window } from "./step.ts";

/*
 * Finds the events that match at least one item, either through the index or by reading every event, whichever is
 * cheaper. The measurements are in docs/decisions/tag_index.md.
 */

/** A range of at most this many events is always scanned. */
const SCANNED_EVENTS_MIN = 64;

const SAMPLE_EVENTS = 4;
const WHOLE_STORE: Range = { after: 0, upTo: Number.MAX_SAFE_INTEGER };

/** When asking the index takes less, repeating it for the next chunk is cheaper than a continuation. */
const KEPT_MICROSECONDS_MIN = 400;

export class ItemSearch {
  readonly #db: Database;
  readonly #items: readonly QueryItem[];
  readonly #options: SearchOptions;
  readonly #lookups: number;
  #matcherOfAll: Matcher | undefined;

  constructor(db: Database, items: readonly QueryItem[], options: SearchOptions) {
    this.#db = db;
    this.#options = options;
    this.#items = simplifiedItems(items);
    this.#lookups = lookupsFor(this.#items);
  }

  /** @param begun the continuation of an earlier search of the same events */
  *stepsIn(range: Range, begun: Window | undefined): Generator<Step> {
    if (this.#items.length === 0) return;
    const { direction } = this.#options;
    let reached = startOf(range, direction);
    let window = begun !== undefined && continuesFrom(reached, begun, direction) ? begun : undefined;
    for (let rest = range; rest.after < rest.upTo; rest = restOf(range, reached, direction)) {
      window ??= this.#isCheaperToScan(rest) ? scanOf(rest) : yield* this.#collect(untouched(rest));
      if (window.candidates !== "every" && window.itemsDone < this.#items.length) {
        window = yield* this.#collect(window);
      }
      if (window.candidates === "every") yield* this.#scan(restOf(window, reached, direction), window);
      else yield* this.#verify(window.candidates, reached, window);
      reached = endOf(window, direction);
      window = this.#scanAfterDense(window, range);
    }
  }

  /** Collects candidates, in a step for each item when there are many. */
  *#collect(begun: Window): Generator<Step, Window> {
    const collection = new CandidateCollection(this.#db, this.#items, begun, this.#options);
    const reached = startOf(begun, this.#options.direction);
    while (!collection.done) {
      collection.step();
      const kept = this.#kept(collection.window);
      if (kept === undefined) continue;
      const microseconds = this.#askingMicroseconds(reached, collection.lookups);
      yield { rows: [], reached, microseconds, window: kept };
    }
    return collection.window;
  }

  *#scan(range: Range, window: Window): Generator<Step> {
    const matcher = this.#matcherOf("everything");
    const kept = this.#kept(window);
    for (const rows of batchesOf(this.#db, range, this.#options.direction)) {
      const matching = rows.filter(({ body }) => matcher.matches(body));
      yield this.#stepOver(rows, matching, this.#hasTags, kept);
    }
  }

  *#verify(candidates: readonly number[], reached: number, window: Window): Generator<Step> {
    const { unchecked } = window;
    const { direction, eventsMax } = this.#options;
    const kept = this.#kept(window);
    const matcher = unchecked === "nothing" ? undefined : this.#matcherOf(unchecked);
    const rest = restOf(window, reached, direction);
    const left = reached === startOf(window, direction)
      ? candidates
      : candidates.filter((sequence) => contains(rest, sequence));
    for (const rows of batchesAt(this.#db, left, eventsMax)) {
      const matching = matcher === undefined ? rows : rows.filter(({ body }) => matcher.matches(body));
      yield this.#stepOver(rows, matching, matcher !== undefined && this.#hasTags, kept);
    }
    const end = endOf(window, direction);
    yield { rows: [], reached: end, microseconds: this.#askingMicroseconds(startOf(window, direction)) };
  }

  #stepOver(
    rows: readonly EventRow[],
    matching: readonly EventRow[],
    isParsed: boolean,
    window: Window | undefined,
  ): Step {
    const microseconds = rowsMicroseconds(rows) + (isParsed ? rows.length * PARSE_MICROSECONDS : 0);
    // With a match, the search continues even over budget: the result is worth more.
    if (matching.length === 0) this.#options.budget?.spend(microseconds);
    const reached = positionBehind(rows.at(-1)!.sequence, this.#options.direction);
    return { rows: matching, reached, microseconds, window };
  }

  #matcherOf(unchecked: QueryItem | "everything"): Matcher {
    if (unchecked !== "everything") return new Matcher([unchecked]);
    return this.#matcherOfAll ??= new Matcher(this.#items);
  }

  #kept(window: Window): Window | undefined {
    const start = startOf(window, this.#options.direction);
    return this.#askingMicroseconds(start) >= KEPT_MICROSECONDS_MIN ? window : undefined;
  }

  /**
   * Estimates how long it takes to ask the index about the events from a position on. The estimate treats one list as
   * having all events, since at most a few lists have most of them.
   */
  #askingMicroseconds(position: number, lookups = this.#lookups): number {
    return lookups * LOOKUP_MICROSECONDS + steppingMicroseconds(position, this.#options);
  }

  get #hasTags(): boolean {
    return this.#items.some(({ identifiers, metadata }) => identifiers.length + metadata.length > 0);
  }

  #isCheaperToScan(range: Range): boolean {
    const events = range.upTo - range.after;
    if (events <= SCANNED_EVENTS_MIN) return true;
    const start = startOf(range, this.#options.direction);
    // Most lists are short: FTS5 finds their entries at once, in either direction.
    return events <= this.#eventsScannedIn(this.#lookups * LOOKUP_MICROSECONDS, start, events);
  }

  /**
   * Scans the next events when the index has returned so many candidates that a scan would have been cheaper. It
   * scans as many events as take the time of asking the index. So the index never doubles the cost.
   */
  #scanAfterDense(window: Window, range: Range): Window | undefined {
    const { direction } = this.#options;
    const end = endOf(window, direction);
    const rest = restOf(range, end, direction);
    if (window.candidates === "every" || rest.after >= rest.upTo) return undefined;
    const asked = window.upTo - window.after;
    const events = this.#eventsScannedIn(this.#askingMicroseconds(end), end, asked);
    return events < asked ? undefined : scanOf(beginningOf(rest, events, direction));
  }

  /**
   * Estimates how many events from a position on can be scanned in this time. Returns 0 when they are certainly fewer
   * than `eventsMin`.
   */
  #eventsScannedIn(micros: number, position: number, eventsMin: number): number {
    if (micros < rowsMicroseconds([], eventsMin)) return 0;
    const { direction } = this.#options;
    const rest = restOf(WHOLE_STORE, position, direction);
    const sample = scanEvents(this.#db, rest, SAMPLE_EVENTS, direction);
    const microsEach = rowsMicroseconds(sample) / Math.max(1, sample.length) +
      (this.#hasTags ? PARSE_MICROSECONDS : 0);
    return microsEach === 0 ? 0 : Math.floor(micros / microsEach);
  }
}

/** True when a position lies in a window before its end. */
function continuesFrom(position: number, window: Window, direction: Direction): boolean {
  return window.after <= position && position <= window.upTo && position !== endOf(window, direction);
}

function untouched(range: Range): Window {
  return { ...range, itemsDone: 0, candidates: [], unchecked: "nothing" };
}

function scanOf(range: Range): Window {
  return { ...range, itemsDone: 0, candidates: "every", unchecked: "everything" };
}
