import assert from "node:assert/strict";
import type { EventLine, WriteResult } from "../../support/client.ts";
import { matches, type Query, type QueryItem } from "../../../src/model/query.ts";
import type { Tag } from "../../../src/model/tag.ts";

/*
 * A model of edition A in memory, written from its document, without any code of the server's writer. Tests give
 * it only the values that the server draws by chance: store ID, times and versions.
 */

export type TagObject = Readonly<Record<string, string | readonly string[]>>;
export type WireQuery =
  | "*"
  | readonly {
    readonly types?: readonly string[];
    readonly identifiers?: readonly Tag[];
    readonly metadata?: readonly Tag[];
  }[];

export interface WireWrite {
  readonly events: readonly {
    readonly type: string;
    readonly identifiers: TagObject;
    readonly metadata: TagObject;
    readonly payload: string;
  }[];
  readonly conditions: readonly {
    readonly failIfEventsMatch?: WireQuery;
    readonly afterSequence?: number;
    readonly store?: string;
  }[];
  readonly projections: {
    readonly create: readonly { readonly type: string; readonly id: string; readonly payload: string }[];
    readonly replace: readonly {
      readonly type: string;
      readonly id: string;
      readonly version: string;
      readonly payload: string;
    }[];
    readonly delete: readonly { readonly type: string; readonly id: string; readonly version: string }[];
  };
}

/** The answer that the server must give: a status, and the message of a rejection. */
export interface Verdict {
  readonly status: 200 | 400 | 409;
  readonly message?: string;
  /** The details of a conflict. */
  readonly conflict?: object;
}

/** The bounds of a page, its order, and its maximal number of events. */
export interface PageRange {
  readonly afterSequence?: number;
  readonly beforeSequence?: number;
  readonly backwards?: boolean;
  readonly limit: number;
}

export class ReferenceStore {
  #storeId = "";
  /** All store IDs and versions so far. None may occur twice. */
  #drawn = new Set<string>();
  readonly events: EventLine[] = [];
  readonly #projections = new Map<string, { payload: string; version: string }>();

  /** The store ID; empty while it is unknown. */
  get storeId(): string {
    return this.#storeId;
  }

  /** Sets the ID that the server has drawn at its first start or for a reset. */
  set storeId(storeId: string) {
    this.#isDrawn(storeId);
    this.#storeId = storeId;
  }

  judge(write: WireWrite): Verdict {
    const { create, replace, delete: deletions } = write.projections;
    const keys = [...create, ...replace, ...deletions].map(keyOf);
    if (new Set(keys).size < keys.length) return { status: 400 };
    for (const [i, { store, afterSequence, failIfEventsMatch }] of write.conditions.entries()) {
      const isReached = (afterSequence ?? 0) <= this.events.length ||
        afterSequence === Number.MAX_SAFE_INTEGER;
      if ((store !== undefined && store !== this.storeId) || !isReached) {
        return conflict(`conditions[${i}] was read on another store`, { condition: i });
      }
      const query = failIfEventsMatch ?? (afterSequence === undefined ? [] : "*");
      const [first] = this.matching(query, afterSequence ?? 0);
      if (first !== undefined) {
        return conflict(`conditions[${i}] no longer holds`, { condition: i, sequence: first.sequence });
      }
    }
    for (const [i, item] of create.entries()) {
      if (this.projection(item) === undefined) continue;
      return conflict(`projections.create[${i}] already exists`, { list: "create", item: i });
    }
    for (const [name, list] of [["replace", replace], ["delete", deletions]] as const) {
      for (const [i, item] of list.entries()) {
        if (this.projection(item)?.version === item.version) continue;
        const message = `projections.${name}[${i}] no longer has the given version`;
        return conflict(message, { list: name, item: i });
      }
    }
    return { status: 200 };
  }

  /** Applies a write whose answer must be 200, with the times and versions that the server drew. */
  apply(write: WireWrite, result: WriteResult): void {
    const { create, replace, delete: deletions } = write.projections;
    for (const [list, drawn] of [[create, "create"], [replace, "replace"]] as const) {
      for (const [i, item] of list.entries()) {
        const version = result.projections[drawn][i]?.version ?? "";
        if (version !== "") this.#isDrawn(version);
        this.#projections.set(keyOf(item), { payload: item.payload, version });
      }
    }
    for (const item of deletions) this.#projections.delete(keyOf(item));
    for (const [i, event] of write.events.entries()) {
      this.events.push({
        sequence: this.events.length + 1,
        time: result.events[i]?.time ?? "",
        type: event.type,
        identifiers: readBack(event.identifiers),
        metadata: readBack(event.metadata),
        payload: event.payload,
      });
    }
  }

  #isDrawn(id: string): void {
    assert.ok(!this.#drawn.has(id), `${id} was drawn before`);
    this.#drawn.add(id);
  }

  projection(key: { type: string; id: string }): { payload: string; version: string } | undefined {
    return this.#projections.get(keyOf(key));
  }

  /** The keys of all projections. */
  get projectionKeys(): { readonly type: string; readonly id: string }[] {
    return [...this.#projections.keys()].map((key) => {
      const [type, id] = JSON.parse(key) as [string, string];
      return { type, id };
    });
  }

  page(query: WireQuery, range: PageRange): { events: EventLine[]; hasMore: boolean } {
    const { afterSequence = 0, beforeSequence = Infinity, backwards = false, limit } = range;
    const found = this.matching(query, afterSequence).filter(({ sequence }) => sequence < beforeSequence);
    if (backwards) found.reverse();
    return { events: found.slice(0, limit), hasMore: found.length > limit };
  }

  deleteProjections(type?: string): void {
    for (const key of this.#projections.keys()) {
      if (type === undefined || (JSON.parse(key) as string[])[0] === type) this.#projections.delete(key);
    }
  }

  /** Empties the store. The new store ID is not known yet. */
  reset(): void {
    this.#storeId = "";
    this.events.length = 0;
    this.#projections.clear();
  }

  /** Returns the matching events after a sequence. */
  matching(query: WireQuery, after: number): EventLine[] {
    return this.events.filter((event) => event.sequence > after && isMatch(query, event));
  }

  /** Returns an independent copy. */
  copy(): ReferenceStore {
    const copy = new ReferenceStore();
    copy.#storeId = this.#storeId;
    copy.#drawn = this.#drawn;
    copy.events.push(...this.events);
    for (const [key, projection] of this.#projections) copy.#projections.set(key, projection);
    return copy;
  }
}

export function isMatch(query: WireQuery, event: Omit<EventLine, "sequence" | "time" | "payload">): boolean {
  return matches(toQuery(query), {
    type: event.type,
    identifiers: tagsOf(event.identifiers),
    metadata: tagsOf(event.metadata),
  });
}

function conflict(message: string, place: object): Verdict {
  return { status: 409, message, conflict: place };
}

function keyOf({ type, id }: { type: string; id: string }): string {
  return JSON.stringify([type, id]);
}

function toQuery(query: WireQuery): Query {
  if (query === "*") return "every";
  const items = query.map(({ types = [], identifiers = [], metadata = [] }): QueryItem => ({
    types,
    identifiers,
    metadata,
  }));
  return items;
}

function tagsOf(tags: TagObject): Tag[] {
  return Object.entries(tags).flatMap(([name, value]) => [value].flat().map((value) => ({ name, value })));
}

/** Returns tags in the form in which the server returns them. */
export function readBack(tags: TagObject): TagObject {
  return Object.fromEntries(
    Object.entries(tags).map(([name, value]) => [
      name,
      typeof value !== "string" && value.length === 1 ? value[0] ?? "" : value,
    ]),
  );
}
