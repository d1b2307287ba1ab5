import type { NewEvent } from "../../model/event.ts";
import { eventBody } from "../../wire/event.ts";
import { eventTerms } from "./index_terms.ts";

/** The stored content of an event, without its sequence and time. */
export interface EventContent {
  /** The rest of the event's JSON line after sequence and time. */
  readonly body: string;
  /** The document of the tag index. */
  readonly terms: string;
}

/** An event prepared for the store, so that the writer only has to insert it. */
export interface PreparedEvent extends EventContent {
  /** Microseconds since 1970. */
  readonly timeMicros: number;
}

/** @param body the event's body if it is already known, as from a line that was read */
export function eventContent(event: NewEvent, body: string = eventBody(event)): EventContent {
  return { body, terms: eventTerms(event) };
}

export function prepareEvent(event: NewEvent, timeMicros: number, body?: string): PreparedEvent {
  return { timeMicros, ...eventContent(event, body) };
}
