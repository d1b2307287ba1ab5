import type { ServerSettings } from "../../config/load.ts";
import { LimitReached } from "../../model/errors.ts";
import type { NewEvent } from "../../model/event.ts";
import type { ProjectionChanges } from "../../model/projection.ts";
import type { Query } from "../../model/query.ts";
import { checkCount, decodeArray, decodeObject } from "../../wire/decode.ts";
import { decodeEvents, eventBody, type EventLimits } from "../../wire/event.ts";
import {
  type Changes,
  countProjectionChanges,
  decodeChanges,
  decodeProjectionChanges,
} from "../../wire/projection.ts";
import { decodeQuery, type QueryLiterals } from "../../wire/query.ts";
import { decodeCommittedRead, decodeObjectInside } from "../../wire/read_request.ts";
import type { BodyDecoding } from "../shared/decoding/body_decoding.ts";
import { type DecodedRead, prepareRead } from "../shared/decoding/decoded_read.ts";

/** The strings that replace a query in this edition. */
export const LITERALS: QueryLiterals = new Map([["all", "every"], ["none", "none"]]);

/*
 * The limits of a transaction of edition B. A request that exceeds a limit by itself is rejected before it is
 * decoded. If it exceeds one only together with earlier requests, the transaction rejects it.
 */

/** Bounds the projections that a transaction reads or writes. There is no setting for it. */
export const PROJECTIONS_PER_TX_MAX = 10_000;

export function tooManyEvents(maxEventsPerTx: number): LimitReached {
  return new LimitReached(`the transaction has more events than maxEventsPerTx (${maxEventsPerTx})`);
}

export function tooManyProjections(): LimitReached {
  return new LimitReached(`the transaction reads and writes more than ${PROJECTIONS_PER_TX_MAX} projections`);
}

/** The body of `QUERY /tx/{txId}/events`. @throws ApiError InvalidRequest */
export function decodeTxRead(value: unknown): Query {
  const { query } = decodeObjectInside(value, ["query"]);
  return decodeQuery(query, "query", LITERALS);
}

/** The body of `POST /tx/{txId}/events`. @throws ApiError InvalidRequest or PayloadTooLarge */
export function decodeTxEvents(
  value: unknown,
  limits: EventLimits & { readonly maxEventsPerTx: number },
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

export const TX_DECODERS = {
  read: (body: unknown, limits: ServerSettings): DecodedRead =>
    prepareRead(decodeCommittedRead(body, LITERALS, limits), limits),
  txRead: (body: unknown): Query => decodeTxRead(body),
  /** Events as the text that will be stored, since that takes the least memory. */
  txEvents: (body: unknown, limits: ServerSettings): string[] =>
    decodeTxEvents(body, limits).map((event) => eventBody(event)),
  txProjections: (body: unknown, limits: ServerSettings): UnversionedChanges =>
    decodeUnversionedChanges(body, limits),
  projections: (body: unknown, limits: ServerSettings): ProjectionChanges =>
    decodeProjectionWrite(body, limits),
};

export type TxDecoding = BodyDecoding<typeof TX_DECODERS>;
