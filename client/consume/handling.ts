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
  const key = `${records.name}:${partition.stored.value.checkpoint.storeId}:${event.sequence}`;
  const begun = performance.now();
  const call = async (): Promise<Output<Events>> =>
    await partition.lost.during(async (signal) =>
      outputOf(records, item, await consumer.handle(event, { key, attempt: failures + 1, signal }))
    );
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
