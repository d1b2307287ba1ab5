import { eventBody } from "../../src/wire/event.ts";
import { type Address, Connection, requestBytes, textOf } from "../connection.ts";
import { measureClients, type Round, type Timing } from "../measure.ts";
import type { SampleEvents } from "../sample_events.ts";

export const EVENTS_PER_WRITE = 100;
/** Writes that are prepared before the clock starts, and then repeated. */
export const WRITES = 1000;

/** Each client writes 100 events at a time, without a condition. */
export async function bulk(
  address: Address,
  clientCount: number,
  sample: SampleEvents,
  timing: Timing,
): Promise<Round> {
  using connections = new DisposableStack();
  const requests = Array.from({ length: WRITES }, () => {
    const events = sample.events(EVENTS_PER_WRITE).map((event) => `{${eventBody(event)}}`);
    return requestBytes("POST", "/write", `{"events":[${events.join(",")}]}`);
  });
  let next = 0;
  const clients = [];
  for (let client = 0; client < clientCount; client++) {
    const connection = connections.use(await Connection.open(address));
    clients.push(async () => {
      const reply = await connection.request(requests[next++ % WRITES]!);
      if (reply.status === 200) return EVENTS_PER_WRITE;
      throw new Error(`a write of ${EVENTS_PER_WRITE} events was answered ${reply.status}: ${textOf(reply)}`);
    });
  }
  return await measureClients(clients, timing);
}
