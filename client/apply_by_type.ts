import type { StoredEvent } from "./events.ts";
import { listOf } from "./one_or_more.ts";
import type { Query, QueryItem } from "./queries.ts";

/** A model of a decision or of rows, with `apply`, or with `on`. */
export interface Given {
  readonly query: Query;
  readonly apply?: unknown;
  readonly on?: unknown;
}

type Apply = (state: unknown, event: StoredEvent, ...more: readonly unknown[]) => unknown;

/** Returns the model with `apply`, if it has `on`. Items of its query without types get those of `on`. */
export function withApply<Model>(model: Given, name = "the model"): Model {
  const { on, apply, query, ...rest } = model;
  if (!on === !apply) throw new TypeError(`${name} needs either apply or on`);
  if (!on) return model as Model;
  const handlers = on as Readonly<Record<string, Apply>>;
  const types = Object.keys(handlers);
  const typed = query === "*" ? query : listOf<QueryItem>(query).map((item) => ({
    ...item,
    types: item.types ?? types,
  }));
  const byType: Apply = (state, event, ...more) =>
    Object.hasOwn(handlers, event.type) ? handlers[event.type]!(state, event, ...more) : state;
  return { ...rest, query: typed, apply: byType } as Model;
}
