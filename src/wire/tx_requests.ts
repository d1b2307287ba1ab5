import type { NewEvent } from "../model/event.ts";
import type { ProjectionChanges } from "../model/projection.ts";
import type { Query } from "../model/query.ts";
import { checkCount, decodeObject } from "./decode.ts";
import { decodeEvents } from "./event.ts";
import { countProjectionChanges, decodeProjectionChanges } from "./projection.ts";
import { decodeQuery, type QueryLiterals } from "./query.ts";

/** The body of `QUERY /tx/{txId}/events`. @throws Refusal InvalidRequest */
export function decodeTxRead(value: unknown, literals: QueryLiterals): Query {
  const { query } = decodeObject(value, "", ["query"]);
  return decodeQuery(query, "query", literals);
}

/** The body of `POST /tx/{txId}/events`. @throws Refusal InvalidRequest or PayloadTooLarge */
export function decodeTxEvents(value: unknown, limits: { readonly maxEventSize: number }): NewEvent[] {
  const { events } = decodeObject(value, "", ["events"]);
  return decodeEvents(events, "events", limits);
}

/** The body of `POST /projections` outside a transaction. @throws Refusal InvalidRequest or PayloadTooLarge */
export function decodeProjectionWrite(
  value: unknown,
  limits: { readonly maxProjectionSize: number; readonly maxProjectionsPerWrite: number },
): ProjectionChanges {
  const count = countProjectionChanges(value, "");
  checkCount(count, "projections", "maxProjectionsPerWrite", limits.maxProjectionsPerWrite);
  return decodeProjectionChanges(value, "", limits);
}
