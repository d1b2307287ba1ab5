import type { MessageHandlerResult, MessageProcessor } from "@event-driven-io/emmett";
import type { EventStore, Position, Query } from "eventstore-client";
import { type EventStoreReadMetadata, recordedEvent, streamOf, writtenPosition } from "./recorded_events.ts";

/** A processor whose events are those of this store. */
// deno-lint-ignore no-explicit-any
export type EventStoreProcessor = MessageProcessor<any, EventStoreReadMetadata, any, bigint>;

/** Events of one call of `handle`. A write holds at most 500 projections. */
const BATCH = 100;

/** The result of a loop: stopped by the processor or by the signal. */
export type Ended = Extract<MessageHandlerResult, { type: "STOP" }> | undefined;

/**
 * Gives a processor the events that match, from its position, until it stops or the signal ends it. Events outside any
 * stream are left out.
 * @throws an error of the processor, or of the store
 */
export async function runProcessor(
  store: EventStore,
  processor: EventStoreProcessor,
  query: Query,
  signal: AbortSignal,
): Promise<Ended> {
  if (processor.isActive) throw new Error(`the processor "${processor.id}" is already running`);
  try {
    const head = await store.head();
    const start = await processor.start({ store });
    let from: Position = { ...head, sequence: 0 };
    if (start === "END") from = head;
    else if (typeof start === "object") from = { ...head, sequence: Number(start.lastCheckpoint) };
    for await (const { events } of store.follow(query, { from, limit: BATCH, signal })) {
      const messages = events.flatMap((event) => {
        const stream = streamOf(event);
        // Without a position, another program has written it. Only a read of its stream can count.
        return stream === undefined ? [] : [recordedEvent(event, stream, writtenPosition(event) ?? 0n)];
      });
      if (!messages.length) continue;
      const result = await processor.handle(messages, { store });
      if (result?.type === "STOP") return result;
    }
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error;
  } finally {
    await processor.close({ store });
  }
  return undefined;
}
