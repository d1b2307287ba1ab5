import type { NewEvent } from "../../src/model/event.ts";
import type { ProjectionChanges } from "../../src/model/projection.ts";
import type { Query } from "../../src/model/query.ts";
import type { Tag } from "../../src/model/tag.ts";
import { type PreparedEvent, prepareEvent } from "../../src/store/core/prepare_event.ts";
import type { StoreWrite } from "../../src/store/api/write.ts";

export function prepared(event: NewEvent, timeMicros = 1_700_000_000_000_000): PreparedEvent {
  return prepareEvent(event, timeMicros);
}

/** A write without conditions and projections, unless they are given. */
export function storeWrite(
  events: readonly NewEvent[],
  rest: Partial<Omit<StoreWrite, "events">> = {},
): StoreWrite {
  return {
    conditions: [],
    projections: { create: [], replace: [], delete: [] },
    ...rest,
    events: events.map((event) => prepared(event)),
  };
}

export function newEvent(type: string, identifiers: readonly Tag[] = [], payload = ""): NewEvent {
  return { type, identifiers, metadata: [], payload };
}

/** An append of one event for each type. */
export function ofTypes(...types: string[]): StoreWrite {
  return storeWrite(types.map((type) => newEvent(type)));
}

/** An append of `type` that is rejected when there is an event of `unwanted` after a sequence. */
export function unless(unwanted: string, afterSequence: number, type = "t"): StoreWrite {
  return storeWrite([newEvent(type)], {
    conditions: [{ failIfEventsMatch: queryOf([unwanted]), afterSequence }],
  });
}

/** A write that only changes projections. */
export function changing(changes: Partial<ProjectionChanges>): StoreWrite {
  return storeWrite([], { projections: { create: [], replace: [], delete: [], ...changes } });
}

export function tag(name: string, value: string): Tag {
  return { name, value };
}

/** The query of one item. */
export function queryOf(
  types: readonly string[],
  identifiers: readonly Tag[] = [],
  metadata: readonly Tag[] = [],
): Exclude<Query, string> {
  return [{ types, identifiers, metadata }];
}
