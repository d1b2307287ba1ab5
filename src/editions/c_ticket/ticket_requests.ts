import type { ServerSettings } from "../../config/load.ts";
import type { Condition } from "../../model/condition.ts";
import type { NewEvent } from "../../model/event.ts";
import type { ProjectionChanges } from "../../model/projection.ts";
import type { ReadRequest } from "../../model/read_request.ts";
import { type EventContent, eventContent } from "../../store/core/prepare_event.ts";
import { decodeCondition } from "../../wire/condition.ts";
import { checkCount, decodeArray, decodeObject, isOmitted } from "../../wire/decode.ts";
import { decodeEvents, type EventLimits } from "../../wire/event.ts";
import { invalid, overLimit } from "../../wire/invalid.ts";
import { countProjectionChanges, decodeProjectionChanges, PROJECTION_LISTS } from "../../wire/projection.ts";
import type { BodyDecoding } from "../shared/decoding/body_decoding.ts";
import { type DecodedRead, prepareRead } from "../shared/decoding/decoded_read.ts";
import { decodeTimedRead, decodeTimedReadInside, LITERALS } from "./timed_read.ts";

/** The most events in one call of a transaction. There is no setting for it. */
export const EVENTS_PER_CALL_MAX = 100;

/** The body of edition C's `POST /events`. */
export interface Append {
  readonly events: readonly NewEvent[];
  readonly condition: Condition | undefined;
}

/** @throws ApiError InvalidRequest or PayloadTooLarge */
export function decodeAppend(value: unknown, limits: EventLimits): Append {
  const { events, condition } = decodeObject(value, "", ["events", "condition"]);
  const count = decodeArray(events, "", "events").length;
  if (count > EVENTS_PER_CALL_MAX) {
    throw overLimit("", `request carries ${count} events, more than ${EVENTS_PER_CALL_MAX}`);
  }
  return {
    events: decodeEvents(events, "events", limits),
    condition: isOmitted(condition) ? undefined : decodeCondition(condition, "condition", LITERALS),
  };
}

/** The body of edition C's `POST /projections`. @throws ApiError InvalidRequest or PayloadTooLarge */
export function decodeChanges(
  value: unknown,
  limits: { readonly maxProjectionSize: number; readonly maxProjectionsPerRequest: number },
): ProjectionChanges {
  const count = countProjectionChanges(value, "");
  if (count === 0 && Object.values(decodeObject(value, "", PROJECTION_LISTS)).every(isOmitted)) {
    throw invalid("", "at least one of create, replace and delete must be given");
  }
  checkCount(count, "projections", "maxProjectionsPerRequest", limits.maxProjectionsPerRequest);
  return decodeProjectionChanges(value, "", limits);
}

/** The body of a `POST /events`, complete except for the time. */
interface AppendContent {
  readonly events: readonly EventContent[];
  readonly condition: Condition | undefined;
}

export const TICKET_DECODERS = {
  read: (body: unknown, limits: ServerSettings): DecodedRead =>
    prepareRead(decodeTimedRead(body, limits), limits),
  readInside: (body: unknown, limits: ServerSettings): ReadRequest => decodeTimedReadInside(body, limits),
  append(body: unknown, limits: ServerSettings): AppendContent {
    const { events, condition } = decodeAppend(body, limits);
    return { events: events.map((event) => eventContent(event)), condition };
  },
  projections: (body: unknown, limits: ServerSettings): ProjectionChanges => decodeChanges(body, limits),
};

export type TicketDecoding = BodyDecoding<typeof TICKET_DECODERS>;
