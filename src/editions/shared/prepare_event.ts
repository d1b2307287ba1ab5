import type { NewEvent } from "../../model/event.ts";
import type { PreparedEvent } from "../../store/events.ts";
import { eventTerms } from "../../store/tag_index.ts";
import { eventBody } from "../../wire/event.ts";

/** Makes an event ready for the writer, which then only inserts it. */
export function prepareEvent(event: NewEvent, timeMicros: number): PreparedEvent {
  return { timeMicros, body: eventBody(event), terms: eventTerms(event) };
}
