import type { NewEvent, Position, QueryIdentifiers, StoredEvent, Tags, TypeOf } from "./events.ts";
import { listOf } from "./one_or_more.ts";

/** Selects events that match every given key. An omitted key does not filter. */
export interface QueryItem<Events extends object = Record<string, unknown>> {
  /** The event has one of these types. */
  readonly types?: readonly TypeOf<Events>[];
  /** The event carries all of these identifiers. */
  readonly identifiers?: QueryIdentifiers<Events>;
  /** The event carries all of these metadata entries. */
  readonly metadata?: Tags;
}

/** Every event (`"*"`), or those that match one item, or any item of several. */
export type Query<Events extends object = Record<string, unknown>> =
  | "*"
  | QueryItem<Events>
  | readonly QueryItem<Events>[] & { readonly types?: never };

/** The types of events that a query selects: those that it or its items name, or all. */
export type SelectedType<Events extends object, Q> = Q extends readonly (infer Item)[]
  ? SelectedType<Events, Item>
  : Q extends { readonly types: readonly (infer Type)[] } ? Type & TypeOf<Events>
  : TypeOf<Events>;

/**
 * Rejects misspelled keys in a query whose exact type the compiler infers. Without it, `identifier` instead of
 * `identifiers` would select more events than wanted. It also rejects identifiers that no type of event has.
 */
export type OnlyKnownKeys<Events extends object, Q> = Q extends string ? unknown
  : Q extends readonly unknown[] ? { readonly [Index in keyof Q]: OnlyKnownKeys<Events, Q[Index]> }
  : {
    readonly [Key in keyof Q]: Key extends "identifiers" ? {
        readonly [Name in Exclude<keyof Q[Key], keyof QueryIdentifiers<Events>>]: [
          "no type of event has this identifier",
        ];
      }
      : Key extends keyof QueryItem ? unknown
      : "a query item has types, identifiers and metadata";
  };

/** A write happens only if no event matches the query. With `after`, only events after that position count. */
export interface Condition<Events extends object = Record<string, unknown>> {
  /** Selects the events that must not exist. */
  readonly query: Query<Events>;
  /** The position up to which the writer knows the events. Without it, every event counts. */
  readonly after?: Position;
}

/** The items of a query; undefined for `"*"`. */
export function itemsOf<Events extends object>(
  query: Query<Events>,
): readonly QueryItem<Events>[] | undefined {
  return query === "*" ? undefined : listOf<QueryItem<Events>>(query);
}

/** A query for all events that match any of the queries. */
export function union<Events extends object>(queries: readonly Query<Events>[]): Query<Events> {
  const items: QueryItem<Events>[] = [];
  for (const query of queries) {
    const more = itemsOf(query);
    if (!more) return "*";
    items.push(...more);
  }
  return items;
}

/** True if an event matches a query, by the rules of the server: values are compared exactly. */
export function matches<Events extends object>(
  query: Query<Events>,
  event: StoredEvent<Events> | NewEvent<Events>,
): boolean {
  return itemsOf(query)?.some(({ types = [event.type], identifiers = {}, metadata = {} }) =>
    types.includes(event.type) && carries(identifiers as Tags, event.identifiers) &&
    carries(metadata, event.metadata)
  ) ?? true;
}

function carries(wanted: Tags, tags: Tags = {}): boolean {
  return Object.entries(wanted).every(([name, values]) => {
    // The event may lack a name that every object inherits, such as "constructor".
    const present = Object.hasOwn(tags, name) ? listOf(tags[name]!) : [];
    return listOf(values).every((value) => present.includes(value));
  });
}
