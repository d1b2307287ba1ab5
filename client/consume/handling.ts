import type { StoredEvent } from "../events.ts";
import { outputOf } from "./output.ts";
import type { Item, Output } from "./partition.ts";
import type { Session } from "./session.ts";

/** Calls the handler for an event, in a span if the application records traces. */
export async function handle<Events extends object>(
  { server, records, consumer }: Session<Events>,
  item: Item<Events>,
): Promise<Output<Events>> {
  const { partition, event, failures } = item;
  const context = {
    key: `${records.name}:${partition.stored.value.checkpoint.storeId}:${event.sequence}`,
    attempt: failures + 1,
    signal: partition.lost.signal,
  };
  const begun = performance.now();
  const call = async (): Promise<Output<Events>> =>
    outputOf(records, item, await consumer.handle(event, context));
  try {
    const { openTelemetry } = server;
    if (!openTelemetry) return await call();
    const { processed, withTrace } = await import("../tracing.ts");
    return await processed(openTelemetry, records.name, event as StoredEvent, async (traceparent) => {
      const output = await call();
      return { ...output, events: withTrace(output.events, traceparent) };
    });
  } finally {
    item.seconds = (performance.now() - begun) / 1000;
  }
}
