import fc from "fast-check";
import { mergeDuplicateItems, type Query, type QueryItem } from "../../src/model/query.ts";
import { QUERY_ITEM_VALUES_MAX, QUERY_ITEMS_MAX } from "../../src/model/limits.ts";
import type { ReadRequest } from "../../src/model/read_request.ts";
import type { TimeRange } from "../../src/model/time_range.ts";
import { queryFor } from "../../tests/store/arbitraries.ts";
import type { Random } from "../workload/random.ts";
import type { Population } from "./population.ts";

export const LIMIT_MAX = 200;

/** The number of kinds of events from which the items of some queries are taken. */
const KINDS_SEEN = 40;

/** Draws queries of all shapes. Most of them match some event. */
export function drawQueries(population: Population, random: Random, count: number): Query[] {
  const seen = population.someKinds(KINDS_SEEN).map((kind) => ({ ...kind, payload: "" }));
  const drawn = fc.sample(queryFor(seen), { seed: random.below(2 ** 31), numRuns: 3 * count });
  return Array.from({ length: count }, () => {
    const [query] = drawn.splice(random.below(drawn.length), 1);
    return random.chance(0.1) ? large(drawn, random) : query!;
  });
}

/** A query with the maximum number of items, or of values in one item. */
function large(queries: readonly Query[], random: Random): Query {
  const items = queries.flatMap((query) => typeof query === "string" ? [] : query);
  if (random.chance(0.5)) return mergeDuplicateItems(items).slice(0, QUERY_ITEMS_MAX);
  const types = Array.from({ length: QUERY_ITEM_VALUES_MAX - 1 }, (_, i) => `other ${i}`);
  const [item] = items;
  const wide: QueryItem = {
    types: [...types, ...item?.types.slice(0, 1) ?? []],
    identifiers: [],
    metadata: [],
  };
  return [wide, ...random.chance(0.5) ? items.slice(0, 3) : []];
}

/** @param hasTime true when the edition searches by time */
export function drawRead(
  query: Query,
  population: Population,
  random: Random,
  hasTime: boolean,
): ReadRequest {
  const { head } = population;
  // Anywhere, or close to one of the ends.
  const position = () =>
    random.pick([random.below(head + 2), Math.max(0, head - random.below(10)), random.below(10)]);
  return {
    query,
    afterSequence: random.chance(0.5) ? 0 : position(),
    beforeSequence: random.chance(0.7) ? undefined : 1 + position(),
    backwards: random.chance(0.4),
    time: hasTime && head > 0 && random.chance(0.5) ? drawTime(population, random) : undefined,
    limit: random.pick([1, 2, 1 + random.below(LIMIT_MAX), LIMIT_MAX]),
  };
}

/** Draws a time range around the times of events; many events share a time. */
function drawTime(population: Population, random: Random): TimeRange {
  const moment = () =>
    population.timeMicrosOf(1 + random.below(population.head)) + random.pick([-1, 0, 0, 1]);
  const [a, b] = [moment(), moment()];
  return {
    fromMicros: random.chance(0.2) ? -Infinity : Math.min(a, b),
    beforeMicros: random.chance(0.2) ? Infinity : Math.max(a, b) + Number(a === b),
  };
}
