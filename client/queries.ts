import type { NewEvent, Position, StoredEvent, Tags, TypeOf } from "./events.ts";
import { listOf } from "./one_or_more.ts";

/** Asks for events that fulfil every key that is there; a key left out does not filter. */
export interface QueryItem<Events extends object = Record<string, unknown>> {
  /** The event has one of these types. */
  readonly types?: readonly TypeOf<Events>[];
  /** The event carries all of these identifiers. */
  readonly identifiers?: Tags;
  /** The event carries all of these metadata entries. */
  readonly metadata?: Tags;
}

/** Every event (`"*"`), or those that match one item, or any item of several. */
export type Query<Events extends object = Record<string, unknown>> =
  | "*"
  | QueryItem<Events>
  | readonly QueryItem<Events>[];

/** A write happens only if no event matches the query, or none that came after the position. */
export interface Condition<Events extends object = Record<string, unknown>> {
  /** What must not have happened. */
  readonly query: Query<Events>;
  /** How far the events are known on which the write is based; left out: every event counts. */
  readonly after?: Position;
}

/** The items of a query; those of `"*"` are undefined. */
export function itemsOf<Events extends object>(
  query: Query<Events>,
): readonly QueryItem<Events>[] | undefined {
  return query === "*" ? undefined : listOf<QueryItem<Events>>(query);
}

/** A query for what any of the queries asks for. */
export function union<Events extends object>(queries: readonly Query<Events>[]): Query<Events> {
  const items: QueryItem<Events>[] = [];
  for (const query of queries) {
    const more = itemsOf(query);
    if (!more) return "*";
    items.push(...more);
  }
  return items;
}

/** Whether an event matches a query, by the rules of the server: values are compared exactly. */
export function matches<Events extends object>(
  query: Query<Events>,
  event: StoredEvent<Events> | NewEvent<Events>,
): boolean {
  return itemsOf(query)?.some(({ types = [event.type], identifiers = {}, metadata = {} }) =>
    types.includes(event.type) && carries(identifiers, event.identifiers) && carries(metadata, event.metadata)
  ) ?? true;
}

function carries(wanted: Tags, tags: Tags = {}): boolean {
  return Object.entries(wanted).every(([name, values]) => {
    // An event may lack a name that every object inherits, such as "constructor".
    const present = Object.hasOwn(tags, name) ? listOf(tags[name]!) : [];
    return listOf(values).every((value) => present.includes(value));
  });
}
