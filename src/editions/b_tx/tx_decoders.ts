import type { ServerSettings } from "../../config/load.ts";
import type { ProjectionChanges } from "../../model/projection.ts";
import type { Query } from "../../model/query.ts";
import { eventBody } from "../../wire/event.ts";
import { decodeCommittedRead } from "../../wire/read_request.ts";
import type { BodyDecoding } from "../shared/decoding/body_decoding.ts";
import { type DecodedRead, prepareRead } from "../shared/decoding/decoded_read.ts";
import {
  decodeProjectionWrite,
  decodeTxEvents,
  decodeTxRead,
  decodeUnversionedChanges,
  LITERALS,
  type UnversionedChanges,
} from "./tx_requests.ts";

export const TX_DECODERS = {
  read: (body: unknown, limits: ServerSettings): DecodedRead =>
    prepareRead(decodeCommittedRead(body, LITERALS, limits)),
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
