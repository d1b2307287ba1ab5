import { alternativesOf, type Filter, NO_FILTER } from "../filter/filter.ts";
import type { Query, QueryItem } from "../filter/query.ts";

/** The answer to `GET /debug/conflicts`. */
export interface Conflicts {
  /** The newest first. */
  readonly conflicts: readonly RejectedWrite[];
  readonly hours: readonly {
    readonly from: string;
    readonly types: readonly { readonly type: string; readonly count: number }[];
  }[];
}

export interface RejectedWrite {
  readonly time: string;
  /** The types of the events that would have been written. */
  readonly types: readonly string[];
  readonly cause: "eventMatches" | "otherStore" | "exists" | "otherVersion";
  readonly query?: Query;
  readonly isShortened?: boolean;
  readonly afterSequence?: number;
  readonly sequence?: number;
  readonly projection?: { readonly type: string; readonly id: string };
}

/** The rejected writes of the same types that asked for the same, apart from the values of tags. */
export interface Rule {
  readonly types: readonly string[];
  readonly asks: string;
  readonly count: number;
}

/** Groups rejected writes by rule, the most frequent first. */
export function rulesOf(conflicts: readonly RejectedWrite[]): Rule[] {
  const rules = new Map<string, Rule>();
  for (const conflict of conflicts) {
    const { types } = conflict;
    const asks = asksOf(conflict);
    const key = JSON.stringify([types, asks]);
    rules.set(key, { types, asks, count: (rules.get(key)?.count ?? 0) + 1 });
  }
  return [...rules.values()].sort((a, b) => b.count - a.count);
}

/** Describes what a rejected write asked for, without the values of tags. */
function asksOf({ cause, query, projection }: RejectedWrite): string {
  if (projection !== undefined) return `the version of a projection of type ${projection.type}`;
  if (cause === "otherStore") return "the store that was read";
  if (query === undefined || typeof query === "string") return "no event at all";
  return [...new Set(query.map(shapeOf))].join(", or ");
}

function shapeOf({ types = [], identifiers = [], metadata = [] }: QueryItem): string {
  const names = [...identifiers.map(({ name }) => name), ...metadata.map(({ name }) => `@${name}`)];
  const ofTypes = types.length === 0 ? "event" : types.join(" or ");
  return names.length === 0 ? `no ${ofTypes}` : `no ${ofTypes} of the same ${names.join(" and ")}`;
}

/** The filter that shows the events of a rejected write's query. */
export function filterOf(query: Query): Filter {
  if (typeof query === "string") return NO_FILTER;
  const alternatives = query.map(({ types = [], identifiers = [], metadata = [] }) => ({
    types,
    tags: [
      ...identifiers.map((tag) => ({ kind: "identifiers" as const, ...tag })),
      ...metadata.map((tag) => ({ kind: "metadata" as const, ...tag })),
    ],
  }));
  return { ...NO_FILTER, alternatives: alternativesOf(alternatives) };
}
