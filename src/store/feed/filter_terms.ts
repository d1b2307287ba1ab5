import { TAGS_PER_NAMESPACE_MAX } from "../../model/limits.ts";
import { type Query, simplifiedItems } from "../../model/query.ts";
import type { Within } from "../../model/within.ts";
import { type TermItem, termItem } from "../core/index_terms.ts";

/** A query in index terms: any event, or an event that matches one of the items. An empty list matches no event. */
export type FilterTerms = "every" | readonly TermItem[];

/**
 * Converts a query. Each value is hashed, which takes about a microsecond: convert large queries in a worker.
 * @param tagsMax the most identifiers, and the most metadata, of a new event. Items with more cannot match one
 */
export function filterTerms(query: Query, tagsMax = TAGS_PER_NAMESPACE_MAX): FilterTerms {
  if (query === "every") return query;
  if (query === "none") return [];
  return simplifiedItems(query)
    .filter(({ identifiers, metadata }) => identifiers.length <= tagsMax && metadata.length <= tagsMax)
    .map(termItem);
}

/** Returns the terms of a query that is restricted, as `queryWithin` returns the query. */
export function termsWithin(terms: FilterTerms, { identifiers }: Within): FilterTerms {
  const { allOf } = termItem({ types: [], identifiers, metadata: [] });
  if (terms === "every") return [{ anyOf: [], allOf }];
  return terms.map((item) => ({ ...item, allOf: [...item.allOf, ...allOf] }));
}

/** True when an event with these terms matches an item. */
export function termsMatch({ anyOf, allOf }: TermItem, terms: ReadonlySet<string>): boolean {
  return allOf.every((term) => terms.has(term)) &&
    (anyOf.length === 0 || anyOf.some((term) => terms.has(term)));
}
