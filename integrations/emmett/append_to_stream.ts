import {
  type AppendToStreamOptions,
  type AppendToStreamResultWithGlobalPosition,
  delay,
  downcastRecordedMessages,
  type Event,
} from "@event-driven-io/emmett";
import type { EventStore, ProjectionChanges, Tags } from "eventstore-client";
import { assertExpected, NO_VERSION, queryOf, readVersion } from "./read_stream.ts";
import {
  type EventStoreReadMetadata,
  knownMetadata,
  newEvent,
  type RecordedEvent,
  withoutRecorded,
} from "./recorded_events.ts";
import { writeDespiteLoss } from "./write_despite_loss.ts";

/** The longest pause before the next attempt, in milliseconds. */
const PAUSE_MAX = 100;

/** Further parts of an append, from the options of the event store. */
export interface AppendParts {
  /** Identifiers of an event, in addition to `stream`. */
  readonly identifiers: (event: Event, streamName: string) => Tags;
  /** Projections that change in the same write. It is called again in each attempt. */
  readonly changes: (events: RecordedEvent[]) => Promise<ProjectionChanges | undefined>;
}

/** The result of an append, and the events as they were given, with their metadata. */
export interface AppendedToStream {
  readonly result: AppendToStreamResultWithGlobalPosition;
  readonly events: RecordedEvent[];
}

/**
 * Appends events at the end of a stream. The condition of the write is that the stream has no event after the
 * position up to which its version was read. So positions are unique and without gaps, whatever else is written.
 *
 * After a conflict it reads the version again. If the expected version no longer holds, that is Emmett's error,
 * otherwise it appends to the new end. Each conflict means that another append has succeeded, so it sets no limit.
 */
export async function appendToStream<EventType extends Event, StoredType extends Event = EventType>(
  store: EventStore,
  streamName: string,
  events: readonly EventType[],
  { expectedStreamVersion, schema }: AppendToStreamOptions<bigint, EventType, StoredType>,
  { identifiers, changes }: AppendParts,
): Promise<AppendedToStream> {
  if (!events.length) throw new TypeError(`there is no event to append to the stream "${streamName}"`);
  for (let attempt = 0;; attempt++) {
    if (attempt > 0) await delay(Math.random() * Math.min(PAUSE_MAX, 2 ** attempt));
    const { version, head } = await readVersion(store, streamName);
    assertExpected(version, expectedStreamVersion);

    const key = crypto.randomUUID();
    // The store gives the global position only when it writes.
    const recorded = events.map((event, i) =>
      recordedBefore(event, knownMetadata(streamName, version + BigInt(i) + 1n, key))
    );
    const stored = downcastRecordedMessages<EventType, StoredType, EventStoreReadMetadata>(
      recorded as never,
      schema?.versioning,
    );
    const written = await writeDespiteLoss(store, {
      events: stored.map((event, i) =>
        newEvent(event, recorded[i]!.metadata, key, identifiers(events[i]!, streamName))
      ),
      condition: { query: queryOf(streamName), after: head },
      key,
      projections: await changes(recorded),
    });
    if (!written) continue;

    return {
      result: {
        nextExpectedStreamVersion: version + BigInt(events.length),
        createdNewStream: version === NO_VERSION,
        lastEventGlobalPosition: BigInt(written.at(-1)!.sequence),
      },
      events: recorded.map((event, i) => ({
        ...event,
        metadata: { ...event.metadata, globalPosition: BigInt(written[i]!.sequence) },
      })),
    };
  }
}

/** The event as it will be read, except for its global position. */
function recordedBefore(event: Event, known: ReturnType<typeof knownMetadata>): RecordedEvent {
  const metadata = { ...withoutRecorded(event), ...known };
  return { ...event, kind: "Event", metadata } as unknown as RecordedEvent;
}
