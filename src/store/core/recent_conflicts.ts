import type { Query, QueryItem } from "../../model/query.ts";
import { formatTimestamp } from "../../model/timestamp.ts";
import { nowMicros } from "../../time/clock.ts";
import { typeTextOf } from "../../wire/event.ts";
import type { Conflict, StoreWrite } from "../api/write.ts";

const RECENT_MAX = 100;
const HOURS_MAX = 24;
const HOUR_MICROS = 3_600_000_000;

/** Limits on what is remembered of a conflict, and on the types of an hour. */
const UNITS_MAX = 2000;
const TYPES_MAX = 50;

/** A write that was rejected. */
interface RejectedWrite {
  /** Microseconds since 1970. */
  readonly timeMicros: number;
  /** The types of its events, each once. */
  readonly types: readonly string[];
  readonly cause: Conflict["cause"];
  /** The query of the condition that did not hold, or its first items, and the sequence after which it counts. */
  readonly query?: Query;
  readonly isShortened?: boolean;
  readonly afterSequence?: number;
  /** The first event that matched. */
  readonly sequence?: number;
  /** The projection with another version, or that exists already. */
  readonly projection?: { readonly type: string; readonly id: string };
}

/** RecentConflicts remembers the last writes that were rejected with a conflict, and counts those of a day by hour. */
export class RecentConflicts {
  /** The oldest first. */
  readonly #recent: RejectedWrite[] = [];
  /** By hour since 1970, the rejected writes by the type of their first event. "" is a write without events. */
  readonly #hours = new Map<number, Map<string, number>>();

  add(write: StoreWrite, conflict: Conflict): void {
    const timeMicros = nowMicros();
    const types = [...new Set(write.events.slice(0, 10).map(({ body }) => typeOf(body)))];
    this.#recent.push({ timeMicros, types, cause: conflict.cause, ...rejected(write, conflict) });
    if (this.#recent.length > RECENT_MAX) this.#recent.shift();
    this.#count(Math.floor(timeMicros / HOUR_MICROS), types[0] ?? "");
  }

  /**
   * The answer to `GET /debug/conflicts`, the newest first.
   * @param every the word of the edition for all events
   */
  document(every: string): object {
    return {
      conflicts: this.#recent.toReversed().map(({ timeMicros, query, isShortened, ...rest }) => ({
        time: formatTimestamp(timeMicros),
        ...rest,
        ...query === undefined
          ? {}
          : { query: typeof query === "string" ? every : query.map(withoutEmptyLists) },
        ...isShortened === true ? { isShortened } : {},
      })),
      hours: [...this.#hours].reverse().map(([hour, counts]) => ({
        from: formatTimestamp(hour * HOUR_MICROS),
        types: [...counts].sort((a, b) => b[1] - a[1]).map(([type, count]) => ({ type, count })),
      })),
    };
  }

  #count(hour: number, type: string): void {
    const counts = this.#hours.get(hour) ?? new Map<string, number>();
    if (counts.size === 0) this.#hours.set(hour, counts);
    if (this.#hours.size > HOURS_MAX) this.#hours.delete(this.#hours.keys().next().value!);
    if (counts.has(type) || counts.size < TYPES_MAX) counts.set(type, (counts.get(type) ?? 0) + 1);
  }
}

function rejected(write: StoreWrite, conflict: Conflict): Partial<RejectedWrite> {
  if (conflict.list !== "conditions") {
    const { type, id } = write.projections[conflict.list][conflict.index]!;
    return { projection: { type: shortened(type), id: shortened(id) } };
  }
  const { failIfEventsMatch, afterSequence } = write.conditions[conflict.index]!;
  const sequence = conflict.cause === "eventMatches" ? { sequence: conflict.sequence } : {};
  return { afterSequence, ...sequence, ...shortQuery(failIfEventsMatch) };
}

function typeOf(body: string): string {
  return shortened(JSON.parse(`"${typeTextOf(body)}"`));
}

function shortened(text: string): string {
  return text.length <= UNITS_MAX ? text : `${text.slice(0, UNITS_MAX)}\u2026`;
}

/** The first items of a query that are not too large. */
function shortQuery(query: Query): Pick<RejectedWrite, "query" | "isShortened"> {
  if (typeof query === "string") return { query };
  let units = 0;
  const kept = query.filter((item) => (units += unitsOf(item)) <= UNITS_MAX);
  return kept.length === query.length ? { query } : { query: kept, isShortened: true };
}

/** An item as clients send it. */
function withoutEmptyLists(item: QueryItem): object {
  return Object.fromEntries(Object.entries(item).filter(([, list]) => list.length > 0));
}

function unitsOf({ types, identifiers, metadata }: QueryItem): number {
  let units = 0;
  for (const type of types) units += type.length;
  for (const { name, value } of [...identifiers, ...metadata]) units += name.length + value.length;
  return units;
}
