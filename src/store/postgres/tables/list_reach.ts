import type { TermItem } from "../../core/index_terms.ts";
import { type Direction, endOf, positionBehind, type Range, startOf } from "../../core/ranges/direction.ts";
import { numberIn, type Row } from "../protocol/cells.ts";
import type { Statement } from "../protocol/session.ts";
import { arrayText } from "./array_text.ts";
import { type SoughtItem, soughtItem, TYPES_MAX } from "./tag_index.ts";

/*
 * The distance that the first entries of a list cover shows how sparse the list is. A search walks the sparsest list
 * of an item. It then looks up the rarest of the other terms first, so that most events need only one lookup.
 */

/** Entries counted per list, entries counted in all lists together, and the minimum per list. */
const COUNTED_MAX = 64;
const COUNTED_TOGETHER_MAX = 32 * 1024;
const COUNTED_MIN = 8;

function reachSql(between: string, order: string, furthest: string): string {
  return `SELECT a.place, s.seen, s.reached FROM unnest($1::integer[], $2::uuid[]) AS a (place, term)
    CROSS JOIN LATERAL (
      SELECT count(*) AS seen, ${furthest}(c.sequence) AS reached FROM (
        SELECT sequence FROM event_term w WHERE w.term = a.term AND ${between}
        ORDER BY w.sequence ${order} LIMIT $5::bigint
      ) c
    ) s`;
}

const REACH: Readonly<Record<Direction, string>> = {
  forwards: reachSql("w.sequence > $3::bigint AND w.sequence <= $4::bigint", "ASC", "max"),
  backwards: reachSql("w.sequence <= $3::bigint AND w.sequence > $4::bigint", "DESC", "min"),
};

/** Measures how sparse the lists of items are in a range. */
export class ListReach {
  readonly #items: readonly TermItem[];
  readonly #range: Range;
  readonly #direction: Direction;
  readonly #terms: readonly string[];
  readonly #counted: number;

  constructor(items: readonly TermItem[], range: Range, direction: Direction) {
    this.#items = items;
    this.#range = range;
    this.#direction = direction;
    this.#terms = [
      ...new Set(items.filter(hasSeveralLists).flatMap(({ allOf, anyOf }) => [...allOf, ...anyOf])),
    ];
    const affordable = Math.floor(COUNTED_TOGETHER_MAX / Math.max(1, this.#terms.length));
    this.#counted = Math.max(COUNTED_MIN, Math.min(COUNTED_MAX, affordable));
  }

  /** Empty when no item has several lists. */
  get statements(): readonly Statement[] {
    if (this.#terms.length === 0) return [];
    const { forwards, backwards } = REACH;
    const params = [
      arrayText(this.#terms.map((_, place) => place)),
      arrayText(this.#terms),
      String(startOf(this.#range, this.#direction)),
      String(endOf(this.#range, this.#direction)),
      String(this.#counted),
    ];
    return [{ sql: this.#direction === "forwards" ? forwards : backwards, params }];
  }

  /** @returns each item with its sparsest list, and with its terms in the order in which to look them up */
  read(results: readonly (readonly Row[])[]): SoughtItem[] {
    const reached = new Map<string, number>();
    for (const [place, seen, sequence] of results.flat()) {
      const isWhole = numberIn(seen) < this.#counted;
      const distance = isWhole ? Infinity : this.#distance(numberIn(sequence));
      reached.set(this.#terms[numberIn(place)]!, distance);
    }
    return this.#items.map((item) => hasSeveralLists(item) ? sparsestFirst(item, reached) : soughtItem(item));
  }

  #distance(sequence: number): number {
    const start = startOf(this.#range, this.#direction);
    return Math.abs(positionBehind(sequence, this.#direction) - start);
  }
}

function hasSeveralLists({ allOf, anyOf }: TermItem): boolean {
  return allOf.length + Math.min(1, anyOf.length) > 1;
}

function sparsestFirst({ allOf, anyOf }: TermItem, reached: ReadonlyMap<string, number>): SoughtItem {
  const reach = (term: string): number => reached.get(term)!;
  const inOrder = allOf.toSorted((a, b) => reach(a) === reach(b) ? 0 : reach(b) - reach(a));
  const ofTypes = Math.min(...anyOf.map(reach));
  const isByTypes = anyOf.length > 0 && anyOf.length <= TYPES_MAX &&
    (inOrder.length === 0 || ofTypes > reach(inOrder[0]!));
  return { terms: { allOf: inOrder, anyOf }, lists: [isByTypes ? anyOf : [inOrder[0]!]] };
}
