import type { NewEvent } from "../model/event.ts";
import { eventBody } from "../wire/event.ts";
import { eventTerms } from "./index_terms.ts";

/** An event prepared for the store, so that the writer only has to insert it. */
export interface PreparedEvent {
  /** Microseconds since 1970. */
  readonly timeMicros: number;
  /** The rest of the event's JSON line after sequence and time. */
  readonly body: string;
  /** The document of the tag index. */
  readonly terms: string;
}

/** @param body the event's body if it is already known, as from a line that was read */
export function prepareEvent(event: NewEvent, timeMicros: number, body = eventBody(event)): PreparedEvent {
  return { timeMicros, body, terms: eventTerms(event) };
}
