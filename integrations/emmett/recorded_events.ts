import {
  type Event,
  JSONParser,
  type ReadEvent,
  type ReadEventMetadataWithGlobalPosition,
} from "@event-driven-io/emmett";
import type { NewEvent, QueryItem, StoredEvent, Tags } from "eventstore-client";

/*
 * An event of Emmett is stored as an event with the identifier `stream`. Its data is the payload, so that programs
 * without Emmett can read it. The metadata entries below hold the rest.
 */

/** The identifier whose value is the name of the stream. */
export const STREAM = "stream";

/** The position in the stream, from 1. */
export const POSITION = "streamPosition";

/** The key of the append, which the client also uses for a write that happens once. */
const KEY = "writeKey";

/** JSON of the metadata whose values are not strings. A metadata entry of the store is a string. */
const OTHER_METADATA = "emmettMetadata";

const RECORDED = [POSITION, KEY, OTHER_METADATA, "streamName", "messageId", "globalPosition"];

/** Metadata of each event that a stream returns. `globalPosition` is the sequence in the store. */
export type EventStoreReadMetadata = ReadEventMetadataWithGlobalPosition;

/** An event as Emmett reads it. */
export type RecordedEvent<EventType extends Event = Event> = ReadEvent<EventType, EventStoreReadMetadata>;

/** The facts about an event that are known before it is written. */
export type KnownMetadata = Omit<EventStoreReadMetadata, "globalPosition">;

/** The metadata of an event to be written at a position of a stream. */
export function knownMetadata(streamName: string, streamPosition: bigint, key: string): KnownMetadata {
  return { streamName, streamPosition, messageId: `${key}:${streamPosition}` };
}

/** An event for the store. Numbers of type `bigint` become strings, and dates ISO 8601, as in Emmett's JSON. */
export function newEvent(
  event: Event,
  { streamName, streamPosition }: KnownMetadata,
  key: string,
  identifiers: Tags,
): NewEvent {
  const payload = asJson(event.data);
  if (payload === undefined) throw new TypeError(`event ${event.type} has no data`);
  const metadata: Record<string, string> = {};
  const others: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(withoutRecorded(event))) {
    if (typeof value === "string" && value !== "") metadata[name] = value;
    else others[name] = value;
  }
  const other = Object.keys(others).length ? { [OTHER_METADATA]: JSONParser.stringify(others) } : {};
  return {
    type: event.type,
    identifiers: { ...identifiers, [STREAM]: streamName },
    metadata: { ...metadata, ...other, [POSITION]: String(streamPosition), [KEY]: key },
    payload,
  };
}

/** The metadata of an event without entries that the store gives. As in Emmett's own stores, an event cannot choose those. */
export function withoutRecorded(event: Event & { readonly metadata?: object }): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(event.metadata ?? {}).filter(([name]) => !RECORDED.includes(name)),
  );
}

/** The events of one append. */
export function queryOfKey(key: string): QueryItem {
  return { metadata: { [KEY]: key } };
}

/** A value as it comes back from the store. */
export function asJson(value: unknown): unknown {
  const text: string | undefined = JSONParser.stringify(value);
  return text === undefined ? undefined : JSON.parse(text);
}

/** The position that an event was written with; undefined if another program has written it. */
export function writtenPosition({ metadata }: StoredEvent): bigint | undefined {
  const text = metadata[POSITION];
  return typeof text === "string" && /^[1-9]\d*$/.test(text) ? BigInt(text) : undefined;
}

/** The stream of an event; undefined if it has none, or several. */
export function streamOf({ identifiers }: StoredEvent): string | undefined {
  const name = identifiers[STREAM];
  return typeof name === "string" ? name : undefined;
}

/** An event of the store as Emmett reads it. */
export function recordedEvent<EventType extends Event>(
  stored: StoredEvent,
  streamName: string,
  streamPosition: bigint,
): RecordedEvent<EventType> {
  const { [KEY]: key, [OTHER_METADATA]: others, ...metadata } = stored.metadata;
  const { sequence, type, payload: data } = stored;
  return {
    type,
    kind: "Event",
    data,
    metadata: {
      ...metadata,
      ...(typeof others === "string" ? JSON.parse(others) : {}),
      ...knownMetadata(streamName, streamPosition, typeof key === "string" ? key : `sequence-${sequence}`),
      globalPosition: BigInt(sequence),
    },
  } as unknown as RecordedEvent<EventType>;
}
