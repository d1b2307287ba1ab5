import {
  assertExpectedVersionMatchesCurrent,
  type Event,
  type ReadStreamOptions,
  type ReadStreamResult,
  upcastRecordedMessage,
} from "@event-driven-io/emmett";
import type { EventStore, Position, QueryItem } from "eventstore-client";
import {
  type EventStoreReadMetadata,
  POSITION,
  type RecordedEvent,
  recordedEvent,
  STREAM,
  writtenPosition,
} from "./recorded_events.ts";

/** The version of a stream without events. */
export const NO_VERSION = 0n;

/** Backward pages, when programs without Emmett have written to the stream. */
const EVENTS_PER_PAGE = 100;

/** The version of a stream, and the position in the store up to which it is known. */
export interface StreamVersion {
  /** The number of its events; 0 if it does not exist. */
  readonly version: bigint;
  /** A condition after this position protects the version. */
  readonly head: Position;
}

/** The stream as a query. @throws a `TypeError` if it has no name */
export function queryOf(streamName: string): QueryItem {
  if (typeof streamName !== "string" || streamName === "") {
    throw new TypeError(`streamName must be a non-empty string, not ${JSON.stringify(streamName)}`);
  }
  return { identifiers: { [STREAM]: streamName } };
}

/**
 * Reads the version from the end of the stream: its last event carries its position. Events without one, of other
 * programs, are counted up to the last event that has one.
 */
export async function readVersion(store: EventStore, streamName: string): Promise<StreamVersion> {
  const query = queryOf(streamName);
  let head: Position | undefined;
  let count = 0n;
  for (let before: Position | undefined, limit = 1;; limit = EVENTS_PER_PAGE) {
    const page = await store.read(query, { backwards: true, limit, ...(before ? { before } : {}) });
    head ??= page.head;
    for (const event of page.events) {
      const position = writtenPosition(event);
      if (position !== undefined) return { version: position + count, head };
      count++;
    }
    if (!page.hasMore) return { version: count, head };
    before = { storeId: page.storeId, sequence: page.events.at(-1)!.sequence };
  }
}

/** The events of a read, as they come, and the version of their stream. */
export interface StreamRead<EventType extends Event> {
  readonly events: AsyncIterable<RecordedEvent<EventType>>;
  /** Call it after the last event. */
  version(): bigint;
}

/**
 * Reads a stream. A part of it begins at the event before, whose position is found by a query, so that a read from
 * the end of a long stream is short.
 */
export async function openStream<EventType extends Event, StoredType extends Event = EventType>(
  store: EventStore,
  streamName: string,
  options: ReadStreamOptions<bigint, EventType, StoredType> = {},
): Promise<StreamRead<EventType>> {
  const query = queryOf(streamName);
  const range = rangeOf(options);
  const isPart = range.from > 0n || range.to !== undefined;
  const known = isPart ? await readVersion(store, streamName) : undefined;
  let last = NO_VERSION;

  async function* events(): AsyncGenerator<RecordedEvent<EventType>> {
    if (known && range.from >= known.version) return;
    const begin = await beginOf(store, streamName, range.from);
    let position = begin.position;
    const within = known
      ? { after: { ...known.head, sequence: begin.sequence }, before: known.head.sequence + 1 }
      : {};
    for await (const stored of store.readAll(query, within)) {
      position = writtenPosition(stored) ?? position + 1n;
      last = position;
      if (position <= range.from) continue;
      if (range.to !== undefined && position > range.to) return;
      yield upcastRecordedMessage<EventType, StoredType, EventStoreReadMetadata>(
        recordedEvent<StoredType>(stored, streamName, position),
        options.schema?.versioning,
      );
      if (position === range.to) return;
    }
  }

  return { events: events(), version: () => known?.version ?? last };
}

/** The sequence after which a read finds the event behind `from`, and the stream's position there. */
async function beginOf(
  store: EventStore,
  streamName: string,
  from: bigint,
): Promise<{ readonly sequence: number; readonly position: bigint }> {
  if (from > 0n) {
    const query = { ...queryOf(streamName), metadata: { [POSITION]: String(from) } };
    const { events: [event] } = await store.read(query, { limit: 1 });
    if (event) return { sequence: event.sequence, position: from };
  }
  return { sequence: 0, position: NO_VERSION };
}

/** Reads all events of a range at once. */
export async function readStream<EventType extends Event, StoredType extends Event = EventType>(
  store: EventStore,
  streamName: string,
  options?: ReadStreamOptions<bigint, EventType, StoredType>,
): Promise<ReadStreamResult<EventType, EventStoreReadMetadata>> {
  const stream = await openStream(store, streamName, options);
  const events: RecordedEvent<EventType>[] = [];
  for await (const event of stream.events) events.push(event);
  const currentStreamVersion = stream.version();
  assertExpected(currentStreamVersion, options?.expectedStreamVersion);
  return { currentStreamVersion, events, streamExists: currentStreamVersion !== NO_VERSION };
}

/** @throws Emmett's `ExpectedVersionConflictError` if the stream has another version */
export function assertExpected(
  current: bigint,
  expected: ReadStreamOptions<bigint>["expectedStreamVersion"] | number,
): void {
  const version = typeof expected === "number" ? wholeNumber("expectedStreamVersion", expected) : expected;
  assertExpectedVersionMatchesCurrent(current, version, NO_VERSION);
}

/** The range as positions: events behind `from`, up to `to`. */
function rangeOf({ from, to, maxCount }: Pick<ReadStreamOptions, "from" | "to" | "maxCount">): {
  readonly from: bigint;
  readonly to: bigint | undefined;
} {
  const begin = from === undefined ? 0n : wholeNumber("from", from);
  const ends = [
    ...(to === undefined ? [] : [wholeNumber("to", to)]),
    ...(maxCount === undefined ? [] : [begin + wholeNumber("maxCount", maxCount)]),
  ];
  return { from: begin, to: ends.toSorted((a, b) => a < b ? -1 : 1)[0] };
}

/** Programs in JavaScript may give numbers. */
function wholeNumber(option: string, value: bigint | number): bigint {
  if (typeof value === "bigint" && value >= 0n) return value;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  throw new TypeError(`${option} must be a whole number of at least 0, not ${value}`);
}
