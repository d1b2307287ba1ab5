import type { Filter, Tag } from "../filter/filter.ts";

/*
 * Everything that the page shows is in the fragment of its address, so that it can be kept and sent to somebody:
 * #/events?type=SeatTaken&tag=show:s1&open=12. The key of the explorer is not part of it.
 */

export const VIEWS = ["events", "trace", "projections", "health", "try"] as const;
export type ViewName = typeof VIEWS[number];

export interface Route {
  readonly view: ViewName;
  readonly filter: Filter;
  /** Oldest events first instead of newest first. */
  readonly isOldestFirst: boolean;
  /** The sequence at which the list begins; undefined at its natural end. */
  readonly position: number | undefined;
  /** The sequence of the event that is shown as a whole. */
  readonly open: number | undefined;
  /** What a trace follows. */
  readonly trace: Tag | undefined;
  readonly projection: { readonly type: string; readonly id: string } | undefined;
}

export const START: Route = {
  view: "events",
  filter: { types: [], tags: [], from: undefined, before: undefined },
  isOldestFirst: false,
  position: undefined,
  open: undefined,
  trace: undefined,
  projection: undefined,
};

/** The key in a fragment as the program prints it, and the fragment without it. */
export function takeKey(fragment: string): { readonly key: string | undefined; readonly rest: string } {
  const match = /(^#?|[?&])key=([\w-]+)/.exec(fragment);
  if (match === null) return { key: undefined, rest: fragment };
  return { key: match[2], rest: fragment.replace(match[0], match[1] === "?" ? "?" : "") };
}

/** What a fragment shows. What it does not understand, it leaves out. */
export function routeOf(fragment: string): Route {
  const [path = "", query = ""] = fragment.replace(/^#?\/?/, "").split("?", 2);
  const values = new URLSearchParams(query);
  const trace = tagOf(values.get("trace"));
  const type = values.get("projection");
  return {
    view: VIEWS.find((name) => name === path) ?? "events",
    filter: {
      types: values.getAll("type").filter((type) => type !== ""),
      tags: values.getAll("tag").map(tagOf).filter((tag) => tag !== undefined),
      from: timeOf(values.get("from")),
      before: timeOf(values.get("before")),
    },
    isOldestFirst: values.get("order") === "oldest",
    position: sequenceOf(values.get("at")),
    open: sequenceOf(values.get("open")),
    trace,
    projection: type ? { type, id: values.get("id") ?? "" } : undefined,
  };
}

/** The fragment that shows this. */
export function fragmentOf(route: Route): string {
  const values = new URLSearchParams();
  const { view, filter, trace, projection } = route;
  if (view === "events") {
    for (const type of filter.types) values.append("type", type);
    for (const tag of filter.tags) values.append("tag", tagText(tag));
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
  const query = values.toString();
  return `#/${view}${query === "" ? "" : `?${query}`}`;
}

/** A tag as one text; metadata begins with @. A name that holds `=` or begins with @ is escaped. */
export function tagText({ kind, name, value }: Tag): string {
  const escaped = name.replaceAll("%", "%25").replaceAll("=", "%3D").replace(/^@/, "%40");
  return `${kind === "metadata" ? "@" : ""}${escaped}=${value}`;
}

/** The tag of a text that `tagText` made, or that a person typed. */
export function tagOf(text: string | null): Tag | undefined {
  const match = /^(@?)([^=]+)=(.*)$/s.exec(text ?? "");
  if (match === null) return undefined;
  const kind = match[1] === "@" ? "metadata" : "identifiers";
  const name = match[2]!.replaceAll("%40", "@").replaceAll("%3D", "=").replaceAll("%25", "%");
  return { kind, name, value: match[3]! };
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
