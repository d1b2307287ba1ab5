import { type Address, Connection, linesOf, requestBytes, textOf } from "../connection.ts";
import { measureClients, type Round, type Timing } from "../measure.ts";
import type { SampleEvents } from "../sample_events.ts";

const CLIENTS = 4;

/** A few clients that read the events of one order each time. */
export function readByOrder(address: Address, sample: SampleEvents, timing: Timing): Promise<Round> {
  return measureReads(address, timing, () => ({ identifiers: [{ name: "order", value: sample.order() }] }));
}

/** A few clients that read the events of one type and one customer each time. */
export function readByTypeAndCustomer(
  address: Address,
  sample: SampleEvents,
  timing: Timing,
): Promise<Round> {
  return measureReads(address, timing, () => ({
    types: [sample.type()],
    identifiers: [{ name: "customer", value: sample.customer() }],
  }));
}

async function measureReads(address: Address, timing: Timing, queryItem: () => unknown): Promise<Round> {
  using connections = new DisposableStack();
  const clients = [];
  for (let client = 0; client < CLIENTS; client++) {
    const connection = connections.use(await Connection.open(address));
    clients.push(async () => {
      const body = JSON.stringify({ query: [queryItem()] });
      const reply = await connection.request(requestBytes("QUERY", "/events", body));
      if (reply.status !== 200) throw new Error(`a read was answered ${reply.status}: ${textOf(reply)}`);
      const trailerLines = 1;
      return linesOf(reply) - trailerLines;
    });
  }
  return await measureClients(clients, timing);
}
