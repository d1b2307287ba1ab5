import type { Query } from "../filter/query.ts";
import type { EventsRequest, ReadPage } from "../store/store_calls.ts";
import type { StoredEvent } from "../store/stored_event.ts";

/** At most so many events are read on each side. */
export const SIDE_MAX = 100;

/** The events of a write have the same time and adjacent sequences. */
export interface SameWrite {
  /** In the order of their sequences. */
  readonly events: readonly StoredEvent[];
  /** True when the write may have more events, before the first or after the last of these. */
  readonly hasMore: boolean;
}

/** Reads the other events of an event's write. @param query which matches every event */
export async function sameWrite(read: ReadPage, query: Query, event: StoredEvent): Promise<SameWrite> {
  const { sequence } = event;
  const before = await sideOf(read, event, { query, beforeSequence: sequence, backwards: true });
  const after = await sideOf(read, event, { query, afterSequence: sequence });
  return {
    events: [...before.events.toReversed(), event, ...after.events],
    hasMore: before.hasMore || after.hasMore,
  };
}

/** The text about the number of events, and the place of the shown one. */
export function sameWriteText({ events, hasMore }: SameWrite, sequence: number): string {
  if (events.length === 1) return "no other event";
  if (hasMore) return `more than ${events.length} events`;
  const place = events.findIndex((event) => event.sequence === sequence) + 1;
  return `${events.length} events, this is number ${place}`;
}

/** @param request for the events on one side, the nearest first */
async function sideOf(read: ReadPage, { time }: StoredEvent, request: EventsRequest): Promise<SameWrite> {
  const page = async (limit: number): Promise<SameWrite> => {
    const { events, hasMore } = await read({ ...request, limit });
    const other = events.findIndex((event) => event.time !== time);
    return other < 0 ? { events, hasMore } : { events: events.slice(0, other), hasMore: false };
  };
  // Most often, the neighbour is of another write.
  const nearest = await page(1);
  return nearest.hasMore ? await page(SIDE_MAX) : nearest;
}
