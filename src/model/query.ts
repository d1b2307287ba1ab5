import type { NewEvent } from "./event.ts";
import type { Tag } from "./tag.ts";

/** An item of a query. An empty list does not filter; at least one list is not empty. */
export interface QueryItem {
  readonly types: readonly string[];
  readonly identifiers: readonly Tag[];
  readonly metadata: readonly Tag[];
}

/** The events that a query selects: all, none, or those that match at least one item. */
export type Query = "every" | "none" | readonly QueryItem[];

/** The parts of an event that a query tests. */
export type Queried = Omit<NewEvent, "payload">;

/**
 * True when an event matches a query: OR over items, AND over an item's lists, OR over its types. The tag index of the
 * store must agree with this function on every store and every query.
 */
export function matches(query: Query, event: Queried): boolean {
  if (query === "every") return true;
  if (query === "none") return false;
  return query.some((item) => itemMatches(item, event));
}

function itemMatches(item: QueryItem, event: Queried): boolean {
  return (item.types.length === 0 || item.types.includes(event.type)) &&
    carriesAll(event.identifiers, item.identifiers) &&
    carriesAll(event.metadata, item.metadata);
}

function carriesAll(tags: readonly Tag[], wanted: readonly Tag[]): boolean {
  return wanted.every((tag) => tags.some((own) => own.name === tag.name && own.value === tag.value));
}

/** Returns how many lists of events an item intersects: one for all its types, and one for each tag. */
export function listsOf({ types, identifiers, metadata }: QueryItem): number {
  return Math.min(types.length, 1) + identifiers.length + metadata.length;
}

/** Returns how many types, identifiers and metadata entries a query names. */
export function queryValues(query: Query): number {
  if (typeof query === "string") return 0;
  let values = 0;
  for (const { types, identifiers, metadata } of query) {
    values += types.length + identifiers.length + metadata.length;
  }
  return values;
}

/** Drops every item that equals an earlier one, whatever the order of its entries. */
export function mergeDuplicateItems(items: readonly QueryItem[]): QueryItem[] {
  if (items.length < 2) return [...items];
  const seen = new Map<string, QueryItem>();
  for (const item of items) {
    const key = itemKey(item);
    if (!seen.has(key)) seen.set(key, item);
  }
  return [...seen.values()];
}

function itemKey(item: QueryItem): string {
  const pairs = (tags: readonly Tag[]): string[] =>
    tags.map((tag) => JSON.stringify([tag.name, tag.value])).sort();
  return JSON.stringify([item.types.toSorted(), pairs(item.identifiers), pairs(item.metadata)]);
}

/**
 * Returns items that together match the same events, in a form that is faster to execute. No value and no item occurs
 * twice.
 */
export function simplifiedItems(items: readonly QueryItem[]): readonly QueryItem[] {
  const simplified = items.map(withoutRepeats);
  // Decoding has merged equal items, so only items that became shorter can be equal now.
  const isShorter = simplified.some((item, i) => item !== items[i]);
  return isShorter ? mergeDuplicateItems(simplified) : simplified;
}

function withoutRepeats(item: QueryItem): QueryItem {
  const types = item.types.length < 2 ? item.types : [...new Set(item.types)];
  const identifiers = distinctTags(item.identifiers);
  const metadata = distinctTags(item.metadata);
  const values = types.length + identifiers.length + metadata.length;
  const isSame = values === item.types.length + item.identifiers.length + item.metadata.length;
  return isSame ? item : { types, identifiers, metadata };
}

function distinctTags(tags: readonly Tag[]): readonly Tag[] {
  if (tags.length < 2) return tags;
  return [...new Map(tags.map((tag) => [JSON.stringify([tag.name, tag.value]), tag])).values()];
}
