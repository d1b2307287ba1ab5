import { type Address, Connection } from "../../../support/connection.ts";
import type { Client } from "../../../support/client.ts";
import { eventually, pause } from "../../../support/eventually.ts";
import { debugSnapshot } from "../../../support/held_write_lock.ts";
import { requestBytes } from "./requests.ts";

const CLIENTS = 4;
const WRITE = requestBytes("POST", "/write", '{"events":[{"type":"t","payload":"honest"}]}');

/**
 * Lets four clients write one event after the other.
 * @returns the 99th percentile of the latency of a write in milliseconds
 */
export async function honestP99(address: Address, seconds: number): Promise<number> {
  const until = performance.now() + seconds * 1000;
  const latencies: number[] = [];
  await Promise.all(Array.from({ length: CLIENTS }, async () => {
    using connection = await Connection.open(address);
    while (performance.now() < until) {
      const startedAt = performance.now();
      await connection.send(WRITE);
      const reply = await connection.readReply("POST");
      if (reply.status !== 200) throw new Error(`a write was answered ${reply.status}: ${reply.text}`);
      latencies.push(performance.now() - startedAt);
    }
  }));
  latencies.sort((a, b) => a - b);
  return latencies[Math.ceil(latencies.length * 0.99) - 1]!;
}

/** Waits until no page is being read any more. Until they stall, slow readers are served like other clients. */
export async function untilStalled(client: Client): Promise<void> {
  await eventually(async () => {
    for (let i = 0; i < 5; i++) {
      const { read } = await debugSnapshot(client);
      if (read.sqliteInUse > 0) throw new Error("pages are still being read");
      await pause(50);
    }
  }, 30);
}
