import type { StoredEvent, Tags } from "../events.ts";
import { listOf } from "../one_or_more.ts";
import { matches, type Query } from "../queries.ts";
import type { AppendedEvent } from "../writing.ts";
import { conflict, Rejection } from "./rejection.ts";
import type { ConditionBody, EventBody, QueryBody } from "./wire_types.ts";

/** A page of events, each as it is sent. */
export interface PageInMemory {
  readonly events: readonly StoredEvent<Record<string, string>>[];
  readonly hasMore: boolean;
  /** The highest sequence of the store; 0 when it is empty. */
  readonly head: number;
}

/** The bounds of a page. */
interface Range {
  readonly after: number;
  readonly before: number;
  readonly backwards: boolean;
  readonly limit: number;
}

type Stored = StoredEvent<Record<string, string>>;

/** The events of a store in memory. */
export class EventsInMemory {
  readonly #events: Stored[] = [];
  /** The persons on each event whose key is destroyed, as `name=value`, by sequence. */
  readonly #forgotten = new Map<number, Set<string>>();
  readonly #storeId: string;
  readonly #subjects: readonly string[];

  /** @param subjects names of the identifiers that stand for a person */
  constructor(storeId: string, subjects: readonly string[]) {
    this.#storeId = storeId;
    this.#subjects = subjects;
  }

  /** The highest sequence; 0 when there is no event. */
  get head(): number {
    return this.#events.length;
  }

  /** Returns a page of the events that match. */
  page(query: QueryBody, { after, before, backwards, limit }: Range): PageInMemory {
    const found = this.#matching(query, after, before);
    if (backwards) found.reverse();
    return { events: found.slice(0, limit), hasMore: found.length > limit, head: this.head };
  }

  /** Throws a conflict when a condition does not hold. */
  checkConditions(conditions: readonly ConditionBody[]): void {
    for (const [condition, { failIfEventsMatch, afterSequence = 0, store }] of conditions.entries()) {
      const isReached = afterSequence <= this.head || afterSequence === Number.MAX_SAFE_INTEGER;
      if (store !== undefined && store !== this.#storeId || !isReached) {
        throw conflict(`conditions[${condition}] was read on another store`, { condition });
      }
      const [first] = this.#matching(failIfEventsMatch, afterSequence);
      if (first) {
        const { sequence } = first;
        throw conflict(`conditions[${condition}] no longer holds`, { condition, sequence });
      }
    }
  }

  /** Appends events. @param time of all of them */
  append(events: readonly EventBody[], time: string): AppendedEvent[] {
    return events.map(({ type, identifiers, metadata, payload }) => {
      const sequence = this.head + 1;
      const tags = { identifiers: asRead(identifiers), metadata: asRead(metadata) };
      this.#events.push({ sequence, time, type, ...tags, payload });
      return { sequence, time };
    });
  }

  /**
   * Forgets a person: all events so far, but none that comes later.
   * @returns `before` if the person had no key in use
   */
  forget(name: string, value: string): "now" | "before" {
    const ofPerson = this.#subjects.includes(name)
      ? this.#events.filter((event) => carries(event, name, value))
      : [];
    if (!ofPerson.length) throw new Rejection(404, "SubjectNotFound", undefined);
    let forgotten: "now" | "before" = "before";
    for (const { sequence } of ofPerson) {
      const persons = this.#forgotten.get(sequence) ?? new Set();
      if (!persons.has(`${name}=${value}`)) forgotten = "now";
      this.#forgotten.set(sequence, persons.add(`${name}=${value}`));
      const event = this.#events[sequence - 1]!;
      const names = new Set([...event.forgotten ?? [], name]);
      this.#events[sequence - 1] = { ...event, payload: "", forgotten: [...names].sort() };
    }
    return forgotten;
  }

  #matching(query: QueryBody, after: number, before = Infinity): Stored[] {
    const wanted = queryOf(query);
    const last = Math.min(this.head, before - 1);
    return this.#events.slice(after, Math.max(after, last)).filter((event) => matches(wanted, event));
  }
}

function carries({ identifiers }: Stored, name: string, value: string): boolean {
  return Object.hasOwn(identifiers, name) && listOf(identifiers[name]!).includes(value);
}

/** The form of the client, which knows the rules of queries. */
export function queryOf(query: QueryBody): Query {
  if (query === "*") return query;
  return query.map(({ types, identifiers = [], metadata = [] }) => {
    const [ofDomain, others] = [identifiers, metadata].map((tags) => {
      const values = new Map<string, string[]>();
      for (const { name, value } of tags) values.set(name, [...values.get(name) ?? [], value]);
      return Object.fromEntries(values);
    });
    return { ...types && { types }, identifiers: ofDomain!, metadata: others! };
  });
}

/** Tags as a read returns them: sorted by name, a single value as a string. */
function asRead(tags: Tags): Tags {
  const sorted = Object.entries(tags).sort(([a], [b]) => a < b ? -1 : 1);
  return Object.fromEntries(
    sorted.map(([name, values]) => [name, listOf(values).length === 1 ? listOf(values)[0]! : values]),
  );
}
