import type { TermItem } from "../../core/index_terms.ts";
import {
  type Direction,
  endOf,
  isSeen,
  nearer,
  positionBehind,
  type Range,
  sortedFor,
} from "../../core/ranges/direction.ts";
import { type Cell, numberIn, type Row, textIn } from "../protocol/cells.ts";
import type { Statement } from "../protocol/session.ts";
import { arrayText, nestedArrayText } from "./array_text.ts";

/*
 * The tag index has one entry per term of each event, ordered by term and then by sequence. A search walks one list
 * of entries from a position on. For each entry, it looks up whether the event has the other terms of the item. The
 * number of entries is always bounded, so the planner of PostgreSQL has no influence on the cost of a search.
 */

/** Statements are short, so that none occupies a connection for long. */
const TERMS_PER_STATEMENT = 500;

/** Tags of an item whose lists are considered. Among so many, one list is very probably short. */
const TAG_LISTS_MAX = 3;

/** With more types, a search walks the lists of types only if the item has no tags. */
export const TYPES_MAX = 20;

/** True for an event that has all other terms of an item, besides the term by which it was found. */
const HAS_THE_OTHERS = `NOT EXISTS (
    SELECT FROM unnest(i.all_of) AS o (term) WHERE o.term <> a.term
      AND NOT EXISTS (SELECT FROM event_term t WHERE t.term = o.term AND t.sequence = e.sequence)
  ) AND (i.any_of = '{}' OR a.term = ANY(i.any_of) OR EXISTS (
    SELECT FROM unnest(i.any_of) AS o (term)
    JOIN event_term t ON t.term = o.term AND t.sequence = e.sequence
  ))`;

function walkSql(between: string, order: string, furthest: string): string {
  // OFFSET 0 makes PostgreSQL convert the texts to arrays once per term, and not once per entry.
  return `SELECT a.place, s.seen, s.reached, s.found
    FROM unnest($1::integer[], $2::integer[], $3::uuid[], $4::bigint[]) AS a (place, item, term, start)
    CROSS JOIN LATERAL (
      SELECT ($5::text[])[a.item]::uuid[] AS all_of, ($6::text[])[a.item]::uuid[] AS any_of OFFSET 0
    ) i
    CROSS JOIN LATERAL (
      SELECT count(*) AS seen, ${furthest}(c.sequence) AS reached,
        array_to_string(array_agg(c.sequence) FILTER (WHERE c.is_match), ',') AS found
      FROM (
        SELECT e.sequence, ${HAS_THE_OTHERS} AS is_match FROM (
          SELECT sequence FROM event_term w WHERE w.term = a.term AND ${between}
          ORDER BY w.sequence ${order} LIMIT $8::bigint
        ) e
      ) c
    ) s`;
}

const WALK: Readonly<Record<Direction, string>> = {
  forwards: walkSql("w.sequence > a.start AND w.sequence <= $7::bigint", "ASC", "max"),
  backwards: walkSql("w.sequence <= a.start AND w.sequence > $7::bigint", "DESC", "min"),
};

/** A list of the index: the entries of any of these terms. */
type List = readonly string[];

/** An item, and the lists of which the shortest is to be walked. */
export interface SoughtItem {
  readonly terms: TermItem;
  readonly lists: readonly List[];
}

export function soughtItem(terms: TermItem): SoughtItem {
  const tags = terms.allOf.slice(0, TAG_LISTS_MAX).map((term) => [term]);
  const { anyOf } = terms;
  const asTypes = anyOf.length > 0 && (tags.length === 0 || anyOf.length <= TYPES_MAX);
  return { terms, lists: asTypes ? [...tags, anyOf] : tags };
}

/** The result of a walk through a list of an item, or of several walks together. */
export interface Walked {
  /** All matches up to this position have been found. */
  readonly reached: number;
  /** In the order of the search. */
  readonly found: readonly number[];
}

interface Walk {
  readonly item: SoughtItem;
  /** The position where the walk begins. */
  readonly start: number;
}

interface Entry {
  readonly walk: number;
  readonly list: number;
  readonly term: string;
}

/** Walks lists for several items at once. Each walk has its own start, and all have the same end. */
export class IndexWalks {
  readonly #walks: readonly Walk[];
  readonly #end: number;
  readonly #entriesMax: number;
  readonly #direction: Direction;
  readonly #terms: Entry[] = [];

  /** @param entriesMax how many entries are walked per term */
  constructor(walks: readonly Walk[], range: Range, entriesMax: number, direction: Direction) {
    this.#walks = walks;
    this.#end = endOf(range, direction);
    this.#entriesMax = entriesMax;
    this.#direction = direction;
    for (const [walk, { item }] of walks.entries()) {
      for (const [list, terms] of item.lists.entries()) {
        for (const term of terms) this.#terms.push({ walk, list, term });
      }
    }
  }

  get statements(): Statement[] {
    const statements: Statement[] = [];
    for (let from = 0; from < this.#terms.length; from += TERMS_PER_STATEMENT) {
      statements.push(this.#statement(from, this.#terms.slice(from, from + TERMS_PER_STATEMENT)));
    }
    return statements;
  }

  /**
   * @param results the answers to `statements`
   * @returns the result of each walk
   */
  read(results: readonly (readonly Row[])[]): Walked[] {
    const lists = this.#walks.map(({ item }) => item.lists.map(() => new WalkedList(this.#direction)));
    for (const [place, seen, reached, found] of results.flat()) {
      const { walk, list } = this.#terms[numberIn(place)]!;
      const isWhole = numberIn(seen) < this.#entriesMax;
      const end = isWhole ? this.#end : positionBehind(numberIn(reached), this.#direction);
      lists[walk]![list]!.add(end, sequencesIn(found));
    }
    return this.#walks.map((_, i) => {
      return lists[i]![furthestOf(lists[i]!, this.#direction)]!.walked;
    });
  }

  #statement(from: number, terms: readonly Entry[]): Statement {
    const firstWalk = terms[0]!.walk;
    const walks = this.#walks.slice(firstWalk, terms.at(-1)!.walk + 1);
    return {
      sql: WALK[this.#direction],
      params: [
        arrayText(terms.map((_, i) => from + i)),
        arrayText(terms.map(({ walk }) => walk - firstWalk + 1)),
        arrayText(terms.map(({ term }) => term)),
        arrayText(terms.map(({ walk }) => this.#walks[walk]!.start)),
        nestedArrayText(walks.map(({ item }) => item.terms.allOf)),
        nestedArrayText(walks.map(({ item }) => item.terms.anyOf)),
        String(this.#end),
        String(this.#entriesMax),
      ],
    };
  }
}

/** Several walks in parallel, up to the position that all of them have reached. */
class WalkedList {
  readonly #direction: Direction;
  #reached: number | undefined;
  #found: number[] = [];

  constructor(direction: Direction) {
    this.#direction = direction;
  }

  get reached(): number {
    return this.#reached!;
  }

  get walked(): Walked {
    const inside = this.#found.filter((each) => isSeen(each, this.reached, this.#direction));
    return { reached: this.reached, found: [...new Set(sortedFor(inside, this.#direction))] };
  }

  add(reached: number, found: readonly number[]): void {
    this.#reached = nearer(this.#reached ?? reached, reached, this.#direction);
    this.#found.push(...found);
  }
}

/** Returns the result of several walks: up to the position that all of them have reached. */
export function together(walks: readonly Walked[], direction: Direction): Walked {
  const list = new WalkedList(direction);
  for (const { reached, found } of walks) list.add(reached, found);
  return list.walked;
}

function furthestOf(lists: readonly WalkedList[], direction: Direction): number {
  let furthest = 0;
  for (const [i, { reached }] of lists.entries()) {
    const best = lists[furthest]!.reached;
    if (direction === "forwards" ? reached > best : reached < best) furthest = i;
  }
  return furthest;
}

function sequencesIn(cell: Cell | undefined): number[] {
  return cell === null ? [] : textIn(cell).split(",").map(Number);
}
