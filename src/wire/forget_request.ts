import type { NewEvent } from "../model/event.ts";
import { FORGET_EVENTS_MAX } from "../model/limits.ts";
import type { Tag } from "../model/tag.ts";
import { decodeArray, decodeNonEmptyString, decodeObject, decodeString, isOmitted } from "./decode.ts";
import { decodeEvents, type EventLimits } from "./event.ts";
import { overLimit } from "./invalid.ts";

/** The subject to forget, and the events that say so. */
interface ForgetRequest {
  readonly subject: Tag;
  readonly events: readonly NewEvent[];
}

/** Decodes the body of `POST /forget`. @throws ApiError InvalidRequest or PayloadTooLarge */
export function decodeForgetRequest(value: unknown, limits: EventLimits): ForgetRequest {
  const body = decodeObject(value, "", ["identifier", "events"]);
  const { name, value: text } = decodeObject(body.identifier, "identifier", ["name", "value"]);
  const events = isOmitted(body.events) ? [] : decodeArray(body.events, "", "events");
  if (events.length > FORGET_EVENTS_MAX) {
    throw overLimit("", `events has ${events.length} items, more than ${FORGET_EVENTS_MAX}`);
  }
  return {
    subject: {
      name: decodeNonEmptyString(name, "identifier", "name"),
      value: decodeString(text, "identifier", "value"),
    },
    events: decodeEvents(events, "events", limits),
  };
}
