import type { Edition } from "../filter/query.ts";
import type { Right } from "../store/rights.ts";
import { type Alternative, alternativesOf, type Filter, NO_FILTER } from "../filter/filter.ts";
import { type Tag, tagOf, tagText } from "../filter/tag.ts";

/*
 * The fragment of the address holds the whole state of the page, so that users can store and share links:
 * #/events?type=SeatTaken&tag=show=s1&open=12. `or=` separates the alternatives of the filter. The key of the
 * explorer is not part of it.
 */

export const VIEWS = ["events", "trace", "projections", "conflicts", "health", "try", "consumers"] as const;
export type ViewName = typeof VIEWS[number];

/** The right of the store's token that each view needs. */
const RIGHT_OF: Readonly<Record<ViewName, Right>> = {
  events: "read",
  trace: "read",
  projections: "read",
  conflicts: "operate",
  health: "operate",
  try: "read",
  consumers: "read",
};

/** True if the token may see the view, and the edition has it. */
export function isOffered(view: ViewName, may: readonly Right[], edition: Edition): boolean {
  return may.includes(RIGHT_OF[view]) && (view !== "consumers" || edition === "A");
}

export interface Route {
  readonly view: ViewName;
  readonly filter: Filter;
  /** True for oldest events first, false for newest first. */
  readonly isOldestFirst: boolean;
  /** The sequence at which the list begins. Undefined: at the newest or oldest event, by order. */
  readonly position: number | undefined;
  /** The sequence of the open event. */
  readonly open: number | undefined;
  /** The tag of a trace. */
  readonly trace: Tag | undefined;
  readonly projection: { readonly type: string; readonly id: string } | undefined;
  /** The name of a consumer. */
  readonly consumer: string | undefined;
}

export const START: Route = {
  view: "events",
  filter: NO_FILTER,
  isOldestFirst: false,
  position: undefined,
  open: undefined,
  trace: undefined,
  projection: undefined,
  consumer: undefined,
};

/** Splits a fragment, as the program prints it, into the key and the rest. */
export function takeKey(fragment: string): { readonly key: string | undefined; readonly rest: string } {
  const match = /(^#?|[?&])key=([\w-]+)/.exec(fragment);
  if (match === null) return { key: undefined, rest: fragment };
  return { key: match[2], rest: fragment.replace(match[0], match[1] === "?" ? "?" : "") };
}

/** Parses a fragment. Unknown and invalid parts are ignored. */
export function routeOf(fragment: string): Route {
  const [path = "", query = ""] = fragment.replace(/^#?\/?/, "").split("?", 2);
  const values = new URLSearchParams(query);
  const trace = tagOf(values.get("trace"));
  const type = values.get("projection");
  return {
    view: VIEWS.find((name) => name === path) ?? "events",
    filter: {
      alternatives: alternativesIn(values),
      from: timeOf(values.get("from")),
      before: timeOf(values.get("before")),
    },
    isOldestFirst: values.get("order") === "oldest",
    position: sequenceOf(values.get("at")),
    open: sequenceOf(values.get("open")),
    trace,
    projection: type ? { type, id: values.get("id") ?? "" } : undefined,
    consumer: values.get("consumer") || undefined,
  };
}

/** The fragment of a route. */
export function fragmentOf(route: Route): string {
  const values = new URLSearchParams();
  const { view, filter, trace, projection, consumer } = route;
  if (view === "events") {
    filter.alternatives.forEach(({ types, tags }, i) => {
      if (i > 0) values.append("or", "");
      for (const type of types) values.append("type", type);
      for (const tag of tags) values.append("tag", tagText(tag));
    });
    if (filter.from !== undefined) values.set("from", isoOf(filter.from));
    if (filter.before !== undefined) values.set("before", isoOf(filter.before));
    if (route.isOldestFirst) values.set("order", "oldest");
    if (route.position !== undefined) values.set("at", String(route.position));
  }
  if (view === "events" || view === "trace") {
    if (trace !== undefined && view === "trace") values.set("trace", tagText(trace));
    if (route.open !== undefined) values.set("open", String(route.open));
  }
  if (view === "projections" && projection !== undefined) {
    values.set("projection", projection.type);
    values.set("id", projection.id);
  }
  if (view === "consumers" && consumer !== undefined) values.set("consumer", consumer);
  const query = values.toString();
  return `#/${view}${query === "" ? "" : `?${query}`}`;
}

/** The alternatives in the order of the address. */
function alternativesIn(values: URLSearchParams): Alternative[] {
  const found: { types: string[]; tags: Tag[] }[] = [{ types: [], tags: [] }];
  for (const [name, value] of values) {
    const { types, tags } = found.at(-1)!;
    if (name === "or") found.push({ types: [], tags: [] });
    else if (name === "type" && value !== "") types.push(value);
    else if (name === "tag") {
      const tag = tagOf(value);
      if (tag !== undefined) tags.push(tag);
    }
  }
  return alternativesOf(found);
}

function sequenceOf(text: string | null): number | undefined {
  const number = /^[1-9]\d{0,15}$/.test(text ?? "") ? Number(text) : NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}

function timeOf(text: string | null): number | undefined {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? undefined : time;
}

function isoOf(time: number): string {
  return new Date(time).toISOString();
}
