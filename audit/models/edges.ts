import { QUERY_ITEM_VALUES_MAX, QUERY_ITEMS_MAX, TAGS_PER_NAMESPACE } from "../../src/model/limits.ts";
import type { WireQuery, WireWrite } from "../../tests/editions/a_write/reference.ts";
import { EVENT_BYTES_MAX, EVENTS_MAX, PROJECTION_BYTES_MAX } from "./limits.ts";

/* Requests exactly as large as a limit allows, or larger by one. */

type Events = WireWrite["events"];
type Creates = WireWrite["projections"]["create"];

/** The expected rejection. */
export interface ApiError {
  readonly status: 400 | 413;
  readonly error: "InvalidRequest" | "PayloadTooLarge";
}

export const INVALID: ApiError = { status: 400, error: "InvalidRequest" };
export const TOO_LARGE: ApiError = { status: 413, error: "PayloadTooLarge" };

export const EVENT_EDGES = ["eventSize", "identifiers", "metadata", "events"] as const;
export type EventEdge = typeof EVENT_EDGES[number];

/** @param over 0 or 1 @param countMax the number of events allowed in one call */
export function eventsAt(edge: EventEdge, over: number, countMax: number = EVENTS_MAX): Events {
  const event = { type: "t", identifiers: {}, metadata: {}, payload: "" };
  const tags = { n: Array.from({ length: TAGS_PER_NAMESPACE + over }, (_, i) => String(i)) };
  switch (edge) {
    case "eventSize":
      return [{ ...event, identifiers: { a: "\u20ac" }, payload: "x".repeat(EVENT_BYTES_MAX + over - 5) }];
    case "identifiers":
      return [event, { ...event, identifiers: tags }];
    case "metadata":
      return [{ ...event, metadata: tags }];
    case "events":
      return Array.from({ length: countMax + over }, (_, i) => ({
        type: ["opened", "closed", "moved"][i % 3]!,
        identifiers: { a: String(i % 4), b: [String(i % 2), String(2 + i % 3)] },
        metadata: i % 5 === 0 ? { a: "1" } : {},
        payload: String(i),
      }));
  }
}

/** Creates a projection that is at the limit or too large. The limit on their number depends on the kind of request. */
export function largeProjection(over: number): Creates[number] {
  return { type: "large", id: "\u20ac", payload: "x".repeat(PROJECTION_BYTES_MAX + over - 8) };
}

export function manyProjections(count: number): Creates {
  return Array.from({ length: count }, (_, i) => ({ type: "many", id: String(i), payload: "" }));
}

export type QueryEdge = "items" | "values";

export function queryAt(edge: QueryEdge, over: number): WireQuery {
  // Only the last item matches something.
  const types = (count: number) => [...Array.from({ length: count - 1 }, (_, i) => `other ${i}`), "opened"];
  return edge === "items"
    ? types(QUERY_ITEMS_MAX + over).map((type) => ({ types: [type] }))
    : [{ types: types(QUERY_ITEM_VALUES_MAX + over) }];
}

export function apiErrorOf(edge: EventEdge): ApiError {
  return edge === "eventSize" ? TOO_LARGE : INVALID;
}
