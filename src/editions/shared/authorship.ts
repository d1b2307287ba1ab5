import type { Access } from "../../model/access.ts";
import { metadataTerm } from "../../store/core/index_terms.ts";
import type { EventContent } from "../../store/core/prepare_event.ts";
import { hasMetadata, withMetadata } from "../../wire/event.ts";
import { invalid } from "../../wire/invalid.ts";

/** The name of the metadata that holds the name of the token that wrote an event. */
const KEY = "writtenBy";

interface Settings {
  readonly recordTokenName: boolean;
}

/**
 * Returns the bodies of events as they are stored: with `recordTokenName`, they contain the name of the token.
 * @throws ApiError InvalidRequest for an event in which the client wrote that itself
 */
export function authoredBodies(
  bodies: readonly string[],
  { recordTokenName }: Settings,
  { name }: Access,
): readonly string[] {
  if (!recordTokenName) return bodies;
  return bodies.map((body, i) => {
    if (hasMetadata(body, KEY)) throw invalid(`events[${i}]`, `only the server writes the metadata "${KEY}"`);
    return name === undefined ? body : withMetadata(body, KEY, name);
  });
}

/** Does the same for events with their index terms. */
export function authoredEvents(
  events: readonly EventContent[],
  settings: Settings,
  access: Access,
): readonly EventContent[] {
  if (!settings.recordTokenName) return events;
  const bodies = authoredBodies(events.map(({ body }) => body), settings, access);
  const { name } = access;
  if (name === undefined) return events;
  const term = metadataTerm({ name: KEY, value: name });
  return events.map(({ terms }, i) => ({ body: bodies[i]!, terms: `${terms} ${term}` }));
}
