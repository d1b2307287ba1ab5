import type { NewEvent } from "../../model/event.ts";
import type { ProjectionChanges } from "../../model/projection.ts";
import type { Query } from "../../model/query.ts";
import { checkCount, decodeArray, decodeObject } from "../../wire/decode.ts";
import { decodeEvents } from "../../wire/event.ts";
import {
  type Changes,
  countProjectionChanges,
  decodeChanges,
  decodeProjectionChanges,
} from "../../wire/projection.ts";
import { decodeQuery, type QueryLiterals } from "../../wire/query.ts";
import { decodeObjectInside } from "../../wire/read_request.ts";
import { PROJECTIONS_PER_TX_MAX, tooManyEvents, tooManyProjections } from "./tx_limits.ts";

/** The strings that replace a query in this edition. */
export const LITERALS: QueryLiterals = new Map([["all", "every"], ["none", "none"]]);

/** The body of `QUERY /tx/{txId}/events`. @throws ApiError InvalidRequest */
export function decodeTxRead(value: unknown): Query {
  const { query } = decodeObjectInside(value, ["query"]);
  return decodeQuery(query, "query", LITERALS);
}

/** The body of `POST /tx/{txId}/events`. @throws ApiError InvalidRequest or PayloadTooLarge */
export function decodeTxEvents(
  value: unknown,
  limits: { readonly maxEventSize: number; readonly maxEventsPerTx: number },
): NewEvent[] {
  const { events } = decodeObject(value, "", ["events"]);
  const { maxEventsPerTx } = limits;
  if (decodeArray(events, "", "events").length > maxEventsPerTx) throw tooManyEvents(maxEventsPerTx);
  return decodeEvents(events, "events", limits);
}

/** Without versions: the transaction itself knows the version of each projection that it changes. */
const UNVERSIONED = {
  create: ["type", "id", "payload"],
  replace: ["type", "id", "payload"],
  delete: ["type", "id"],
} as const;

export type UnversionedChanges = Changes<typeof UNVERSIONED>;

/** The body of `POST /tx/{txId}/projections`. @throws ApiError InvalidRequest or PayloadTooLarge */
export function decodeUnversionedChanges(
  value: unknown,
  limits: { readonly maxProjectionSize: number },
): UnversionedChanges {
  if (countProjectionChanges(value, "") > PROJECTIONS_PER_TX_MAX) throw tooManyProjections();
  return decodeChanges(value, "", limits, UNVERSIONED);
}

/** The body of `POST /projections` outside a transaction. @throws ApiError InvalidRequest or PayloadTooLarge */
export function decodeProjectionWrite(
  value: unknown,
  limits: { readonly maxProjectionSize: number; readonly maxProjectionsPerWrite: number },
): ProjectionChanges {
  const count = countProjectionChanges(value, "");
  checkCount(count, "projections", "maxProjectionsPerWrite", limits.maxProjectionsPerWrite);
  return decodeProjectionChanges(value, "", limits);
}
