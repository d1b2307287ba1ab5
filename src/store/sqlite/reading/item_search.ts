import { type QueryItem, simplifiedItems } from "../../../model/query.ts";
import type { Database } from "../connection/database.ts";
import { type EventRow, scanEvents } from "../tables/events.ts";
import {
  beginningOf,
  contains,
  type Direction,
  endOf,
  positionBehind,
  restOf,
  startOf,
} from "../../ranges/direction.ts";
import type { Range } from "../../ranges/range.ts";
import { batchesAt, batchesOf } from "./event_batches.ts";
import { CandidateCollection, lookupsFor } from "./collect_candidates.ts";
import { Matcher } from "../../matcher.ts";
import { type SearchOptions, steppingMicroseconds } from "./search_options.ts";
import { LOOKUP_MICROSECONDS, PARSE_MICROSECONDS, rowsMicroseconds } from "./step_cost.ts";
import type { Step, Window } from "./step.ts";

/*
 * Finds the events that match at least one item, either through the index or by looking at every event,
 * whichever is cheaper. See docs/decisions/tag_index.md for what was measured.
 */

/** So few events are always looked at. */
const SCANNED_EVENTS_MIN = 64;

const SAMPLE_EVENTS = 4;
const WHOLE_STORE: Range = { after: 0, upTo: Number.MAX_SAFE_INTEGER };

/** When asking the index takes less, it is cheaper to repeat that for the next chunk than to hand over what was found. */
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

  /** @param begun what an earlier search of the same events found out */
  *stepsIn(range: Range, begun: Window | undefined): Generator<Step> {
    if (this.#items.length === 0) return;
    const { direction } = this.#options;
    let reached = startOf(range, direction);
    let window = begun !== undefined && goesOnFrom(reached, begun, direction) ? begun : undefined;
    for (let rest = range; rest.after < rest.upTo; rest = restOf(range, reached, direction)) {
      window ??= this.#isCheaperToScan(rest) ? scanOf(rest) : yield* this.#gather(untouched(rest));
      if (window.candidates !== "every" && window.itemsDone < this.#items.length) {
        window = yield* this.#gather(window);
      }
      if (window.candidates === "every") yield* this.#scan(restOf(window, reached, direction), window);
      else yield* this.#verify(window.candidates, reached, window);
      reached = endOf(window, direction);
      window = this.#scanAfterDense(window, range);
    }
  }

  /** Gathers candidates, which takes a step for each item when there are many. */
  *#gather(begun: Window): Generator<Step, Window> {
    const gathering = new CandidateCollection(this.#db, this.#items, begun, this.#options);
    const reached = startOf(begun, this.#options.direction);
    while (!gathering.done) {
      gathering.step();
      const kept = this.#kept(gathering.window);
      if (kept === undefined) continue;
      const microseconds = this.#askingMicroseconds(reached, gathering.lookups);
      yield { rows: [], reached, microseconds, window: kept };
    }
    return gathering.window;
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
    const { direction } = this.#options;
    const kept = this.#kept(window);
    const matcher = unchecked === "nothing" ? undefined : this.#matcherOf(unchecked);
    const rest = restOf(window, reached, direction);
    const left = reached === startOf(window, direction)
      ? candidates
      : candidates.filter((sequence) => contains(rest, sequence));
    for (const rows of batchesAt(this.#db, left)) {
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
    // What has been found is worth more than the budget.
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
   * How long it may take to ask the index about the events from a position on. Of the lists asked for, at most a few
   * have most of the events: it is as if one had all.
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
    // Most lists are short: FTS5 finds what they have at once, in either direction.
    return events <= this.#eventsScannedIn(this.#lookups * LOOKUP_MICROSECONDS, start, events);
  }

  /**
   * When the index has just named so many candidates that it would have been cheaper to look at every event,
   * the next events are looked at, as many as that takes the time of. So the index never doubles the cost.
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
   * How many events from a position on can be looked at in so many microseconds, or 0 when these are certainly fewer
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

/** Whether a position lies in a window before its end. */
function goesOnFrom(position: number, window: Window, direction: Direction): boolean {
  return window.after <= position && position <= window.upTo && position !== endOf(window, direction);
}

function untouched(range: Range): Window {
  return { ...range, itemsDone: 0, candidates: [], unchecked: "nothing" };
}

function scanOf(range: Range): Window {
  return { ...range, itemsDone: 0, candidates: "every", unchecked: "everything" };
}
