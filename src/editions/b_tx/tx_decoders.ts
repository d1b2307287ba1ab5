import type { ServerSettings } from "../../config/load.ts";
import type { ProjectionChanges } from "../../model/projection.ts";
import type { Queried, Query } from "../../model/query.ts";
import type { ReadRequest } from "../../model/read_request.ts";
import { type EventContent, eventContent } from "../../store/prepare_event.ts";
import { decodeReadRequest } from "../../wire/read_request.ts";
import type { BodyDecoding } from "../shared/decoding/body_decoding.ts";
import {
  decodeProjectionWrite,
  decodeTxEvents,
  decodeTxRead,
  decodeUnversionedChanges,
  LITERALS,
  type UnversionedChanges,
} from "./tx_requests.ts";

/** An event as a transaction keeps it: what its own reads look at, and what its commit writes. */
export interface TxEvent {
  readonly queried: Queried;
  readonly content: EventContent;
}

export const TX_DECODERS = {
  read: (body: unknown, limits: ServerSettings): ReadRequest => decodeReadRequest(body, LITERALS, limits),
  txRead: (body: unknown): Query => decodeTxRead(body),
  txEvents: (body: unknown, limits: ServerSettings): TxEvent[] =>
    decodeTxEvents(body, limits).map((event) => {
      const { type, identifiers, metadata } = event;
      return { queried: { type, identifiers, metadata }, content: eventContent(event) };
    }),
  txProjections: (body: unknown, limits: ServerSettings): UnversionedChanges =>
    decodeUnversionedChanges(body, limits),
  projections: (body: unknown, limits: ServerSettings): ProjectionChanges =>
    decodeProjectionWrite(body, limits),
};

export type TxDecoding = BodyDecoding<typeof TX_DECODERS>;
