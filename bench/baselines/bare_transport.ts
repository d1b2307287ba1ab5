import { type Address, Connection, requestBytes } from "../connection.ts";
import { measureClients, type Round, type Timing } from "../measure.ts";
import { oneEventBody } from "../workloads/one_event.ts";

/** The transport alone with 64 connections, each sending the request of the one-event workload. */
export async function bareTransport(address: Address, timing: Timing): Promise<Round> {
  using connections = new DisposableStack();
  const clients = [];
  for (let client = 0; client < 64; client++) {
    const connection = connections.use(await Connection.open(address));
    const request = requestBytes("POST", "/", oneEventBody(`basket-${client}`, crypto.randomUUID()));
    clients.push(async () => {
      const { status } = await connection.request(request);
      if (status !== 200) throw new Error(`the bare transport answered ${status}`);
      return 0;
    });
  }
  return await measureClients(clients, timing);
}
