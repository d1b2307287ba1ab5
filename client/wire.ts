import { EventStoreError } from "./errors.ts";
import type { NewEvent, PayloadFormat, StoredEvent, Tags } from "./events.ts";
import { listOf, type OneOrMore } from "./one_or_more.ts";
import { type Condition, itemsOf, type Query } from "./queries.ts";
import type { Server } from "./server.ts";

/*
 * Converts between the types of this client and the JSON of the server. Keys that are undefined disappear when an
 * object becomes JSON, which is intended here. A tag without a value would silently change what a request asks for,
 * so it is a TypeError.
 */

/** A line of a page, except the last one. */
export interface WireEvent {
  readonly sequence: number;
  readonly time: string;
  readonly type: string;
  readonly identifiers: Tags;
  readonly metadata: Tags;
  readonly payload: string;
  /** The subjects whose keys are gone, and with them the payload. */
  readonly forgotten?: readonly string[];
}

/** An event to write. */
export type NewWireEvent = Pick<WireEvent, "type" | "identifiers" | "metadata" | "payload">;

/** A query as a server of this edition expects it. */
export function wireQuery<Events extends object>(query: Query<Events>, edition?: string): unknown {
  return itemsOf(query)?.map(({ types, identifiers, metadata }) => ({
    types,
    identifiers: identifiers && wireTags(identifiers as Tags),
    metadata: metadata && wireTags(metadata),
  })) ?? (edition === "B" ? "all" : "*");
}

function wireTags(tags: Tags): unknown {
  return Object.entries(checked(tags)).flatMap(([name, values]) =>
    listOf(values).map((value) => ({ name, value }))
  );
}

/** A condition of edition A. */
export function wireCondition<Events extends object>({ query, after }: Condition<Events>): unknown {
  return { failIfEventsMatch: wireQuery(query), afterSequence: after?.sequence, store: after?.storeId };
}

/** Events as the server expects them. @throws `Refused` when a payload does not fit its schema */
export async function wireEvents<Events extends object>(
  server: Server,
  events: OneOrMore<NewEvent<Events>>,
): Promise<NewWireEvent[]> {
  const list = await server.codec("written", listOf(events));
  return list.map(({ type, identifiers = {}, metadata = {}, payload }) => ({
    type,
    identifiers: checked(identifiers),
    metadata: checked(metadata),
    payload: payloadText(payload, server.payload),
  }));
}

function checked(tags: Tags): Tags {
  for (const [name, values] of Object.entries(tags)) {
    const list = listOf(values);
    if (!list.length || list.some((value) => typeof value !== "string")) {
      throw new TypeError(`tag "${name}" has no string as value`);
    }
  }
  return tags;
}

/** The text of a payload that the server stores. */
export function payloadText(payload: unknown, format: PayloadFormat): string {
  const text = format === "text" ? payload : JSON.stringify(payload);
  if (typeof text !== "string") throw new TypeError(`a payload cannot be ${typeof payload}`);
  return text;
}

/** The payload for a stored text. `what` names it in the error. @throws EventStoreError when the text is not JSON */
export function payloadOf(text: string, format: PayloadFormat, what: string): unknown {
  try {
    return format === "text" ? text : JSON.parse(text);
  } catch (cause) {
    throw new EventStoreError({
      code: "PayloadNotJson",
      message: `the payload of ${what} is not JSON`,
      cause,
    });
  }
}

/** Events as a read returns them. */
export function storedEvents<Events extends object>(
  events: readonly WireEvent[],
  { payload: format, notJson, codec }: Server,
): Promise<StoredEvent<Events>[]> {
  const stored: unknown[] = [];
  for (const event of events) {
    try {
      const text = event.forgotten && format !== "text" ? "null" : event.payload;
      stored.push({ ...event, payload: payloadOf(text, format, `event ${event.sequence}`) });
    } catch (error) {
      if (notJson === "text") stored.push(event);
      else if (notJson === "fail") {
        (error as Error).message +=
          ` (type ${event.type}): the option notJson can skip it or return its text`;
        throw error;
      } else notJson(event);
    }
  }
  return codec("read", stored) as Promise<StoredEvent<Events>[]>;
}
