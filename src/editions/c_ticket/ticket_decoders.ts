import type { ServerSettings } from "../../config/load.ts";
import type { Condition } from "../../model/condition.ts";
import type { ProjectionChanges } from "../../model/projection.ts";
import type { ReadRequest } from "../../model/read_request.ts";
import { type EventContent, eventContent } from "../../store/core/prepare_event.ts";
import type { BodyDecoding } from "../shared/decoding/body_decoding.ts";
import { type DecodedRead, prepareRead } from "../shared/decoding/decoded_read.ts";
import { decodeAppend, decodeChanges } from "./ticket_requests.ts";
import { decodeTimedRead, decodeTimedReadInside } from "./timed_read.ts";

/** The body of a `POST /events`, complete except for the time. */
interface AppendContent {
  readonly events: readonly EventContent[];
  readonly condition: Condition | undefined;
}

export const TICKET_DECODERS = {
  read: (body: unknown, limits: ServerSettings): DecodedRead => prepareRead(decodeTimedRead(body, limits)),
  readInside: (body: unknown, limits: ServerSettings): ReadRequest => decodeTimedReadInside(body, limits),
  append(body: unknown, limits: ServerSettings): AppendContent {
    const { events, condition } = decodeAppend(body, limits);
    return { events: events.map((event) => eventContent(event)), condition };
  },
  projections: (body: unknown, limits: ServerSettings): ProjectionChanges => decodeChanges(body, limits),
};

export type TicketDecoding = BodyDecoding<typeof TICKET_DECODERS>;
