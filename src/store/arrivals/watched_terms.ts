import { type Query, simplifiedItems } from "../../model/query.ts";
import { type TermItem, termItem } from "../index_terms.ts";

/** A query in index terms: any event, or one that matches one of the items. None can match no items. */
export type WatchedTerms = "every" | readonly TermItem[];

/** Each value is hashed, which takes about a microsecond: what is large should be done in a worker. */
export function watchedTerms(query: Query): WatchedTerms {
  if (query === "every") return query;
  return query === "none" ? [] : simplifiedItems(query).map(termItem);
}

/** Whether an event matches an item. @param terms the event's index document */
export function termsMatch({ anyOf, allOf }: TermItem, terms: string): boolean {
  // Tokens have one length, and a space between them: none is found in the middle of others.
  return allOf.every((term) => terms.includes(term)) &&
    (anyOf.length === 0 || anyOf.some((term) => terms.includes(term)));
}
