import { type QueryItem, simplifiedItems } from "../../../model/query.ts";
import type { Database } from "../connection/database.ts";
import { type EventRow, scanEvents } from "../tables/events.ts";
import type { Range } from "../tables/range.ts";
import type { CheckBudget } from "./check_budget.ts";
import { batchesAt, batchesOf } from "./event_batches.ts";
import { Gathering, lookupsFor } from "./gather.ts";
import { Matcher } from "./matcher.ts";
import { LOOKUP_MICROSECONDS, PARSE_MICROSECONDS, rowsMicroseconds } from "./step_cost.ts";
import type { Step, Window } from "./step.ts";

/*
 * Finds the events that match at least one item, either through the index or by looking at every event,
 * whichever is cheaper. See docs/decisions/tag_index.md for what was measured.
 */

/** So few events are always looked at. */
const SCANNED_EVENTS_MIN = 64;

const SAMPLE_EVENTS = 4;

/** With fewer lookups, it is cheaper to repeat them for the next chunk than to hand over what they found. */
const KEPT_LOOKUPS_MIN = 16;

export class ItemSearch {
  readonly #db: Database;
  readonly #items: readonly QueryItem[];
  readonly #eventsMax: number;
  readonly #lookups: number;
  readonly #budget: CheckBudget | undefined;
  #matcherOfAll: Matcher | undefined;

  /**
   * @param eventsMax how many are wanted at most; the search may find more
   * @param budget when it is used up, the search ends with OverBudget
   */
  constructor(db: Database, items: readonly QueryItem[], eventsMax: number, budget?: CheckBudget) {
    this.#db = db;
    this.#budget = budget;
    this.#items = simplifiedItems(items);
    this.#eventsMax = eventsMax;
    this.#lookups = lookupsFor(this.#items);
  }

  /** @param begun what an earlier search of the same events found out */
  *stepsIn(range: Range, begun: Window | undefined): Generator<Step> {
    if (this.#items.length === 0) return;
    let { after } = range;
    let window = begun !== undefined && begun.after <= after && after < begun.upTo ? begun : undefined;
    while (after < range.upTo) {
      const rest = { after, upTo: range.upTo };
      window ??= this.#isCheaperToScan(rest) ? scanOf(rest) : yield* this.#gather(untouched(rest));
      if (window.candidates !== "every" && window.itemsDone < this.#items.length) {
        window = yield* this.#gather(window);
      }
      if (window.candidates === "every") yield* this.#scan({ after, upTo: window.upTo }, window);
      else yield* this.#verify(window.candidates, after, window);
      after = window.upTo;
      window = this.#scanAfterDense(window, range);
    }
  }

  /** Gathers candidates, which takes a step for each item when there are many. */
  *#gather(begun: Window): Generator<Step, Window> {
    const gathering = new Gathering(this.#db, this.#items, begun, this.#eventsMax, this.#budget);
    while (!gathering.done) {
      gathering.step();
      const kept = this.#kept(gathering.window);
      if (kept === undefined) continue;
      yield {
        rows: [],
        upTo: begun.after,
        microseconds: gathering.lookups * LOOKUP_MICROSECONDS,
        window: kept,
      };
    }
    return gathering.window;
  }

  *#scan(range: Range, window: Window): Generator<Step> {
    const matcher = this.#matcherOf("everything");
    const kept = this.#kept(window);
    for (const rows of batchesOf(this.#db, range)) {
      const matching = rows.filter(({ body }) => matcher.matches(body));
      yield this.#stepOver(rows, matching, this.#hasTags, kept);
    }
  }

  *#verify(candidates: readonly number[], after: number, window: Window): Generator<Step> {
    const { unchecked } = window;
    const kept = this.#kept(window);
    const matcher = unchecked === "nothing" ? undefined : this.#matcherOf(unchecked);
    const left = after === window.after ? candidates : candidates.filter((sequence) => sequence > after);
    for (const rows of batchesAt(this.#db, left)) {
      const matching = matcher === undefined ? rows : rows.filter(({ body }) => matcher.matches(body));
      yield this.#stepOver(rows, matching, matcher !== undefined && this.#hasTags, kept);
    }
    yield { rows: [], upTo: window.upTo, microseconds: this.#lookups * LOOKUP_MICROSECONDS };
  }

  #stepOver(
    rows: readonly EventRow[],
    matching: readonly EventRow[],
    isParsed: boolean,
    window: Window | undefined,
  ): Step {
    const microseconds = rowsMicroseconds(rows) + (isParsed ? rows.length * PARSE_MICROSECONDS : 0);
    // What has been found is worth more than the budget.
    if (matching.length === 0) this.#budget?.spend(microseconds);
    return { rows: matching, upTo: rows.at(-1)!.sequence, microseconds, window };
  }

  #matcherOf(unchecked: QueryItem | "everything"): Matcher {
    if (unchecked !== "everything") return new Matcher([unchecked]);
    return this.#matcherOfAll ??= new Matcher(this.#items);
  }

  #kept(window: Window): Window | undefined {
    return this.#lookups >= KEPT_LOOKUPS_MIN ? window : undefined;
  }

  get #hasTags(): boolean {
    return this.#items.some(({ identifiers, metadata }) => identifiers.length + metadata.length > 0);
  }

  #isCheaperToScan({ after, upTo }: Range): boolean {
    const events = upTo - after;
    return events <= SCANNED_EVENTS_MIN || events <= this.#eventsScannedInstead(after, events);
  }

  /**
   * When the index has just named so many candidates that it would have been cheaper to look at every event,
   * the next events are looked at, as many as that takes the time of. So the index never doubles the cost.
   */
  #scanAfterDense({ after, upTo, candidates }: Window, range: Range): Window | undefined {
    if (candidates === "every" || upTo >= range.upTo) return undefined;
    const events = this.#eventsScannedInstead(upTo, upTo - after);
    if (events < upTo - after) return undefined;
    return scanOf({ after: upTo, upTo: Math.min(range.upTo, upTo + events) });
  }

  /**
   * How many events after a sequence can be looked at in the time that it takes to ask the index, or 0 when these
   * are certainly fewer than `eventsMin`.
   */
  #eventsScannedInstead(after: number, eventsMin: number): number {
    const micros = this.#lookups * LOOKUP_MICROSECONDS;
    if (micros < rowsMicroseconds([], eventsMin)) return 0;
    const sample = scanEvents(this.#db, { after, upTo: Number.MAX_SAFE_INTEGER }, SAMPLE_EVENTS);
    const microsEach = rowsMicroseconds(sample) / Math.max(1, sample.length) +
      (this.#hasTags ? PARSE_MICROSECONDS : 0);
    return microsEach === 0 ? 0 : Math.floor(micros / microsEach);
  }
}

function untouched(range: Range): Window {
  return { ...range, itemsDone: 0, candidates: [], unchecked: "nothing" };
}

function scanOf(range: Range): Window {
  return { ...range, itemsDone: 0, candidates: "every", unchecked: "everything" };
}
