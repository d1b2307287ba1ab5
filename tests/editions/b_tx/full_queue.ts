import assert from "node:assert/strict";
import type { Client } from "../../support/client.ts";
import type { AnswerHead } from "../../../client/connections/answer_reader.ts";
import type { Connection } from "../../support/connection.ts";

/**
 * Fills the write queue while the turn is held. It sends one request more than fits: its rejection shows that the
 * others are in the queue.
 * @returns the requests in the queue
 */
export async function fillQueue(client: Client, waitingMax: number): Promise<Connection[]> {
  const connections: Connection[] = [];
  for (let i = 0; i < waitingMax + 2; i++) {
    connections.push(await client.begin("DELETE", "/projections/none"));
  }
  const heads = connections.map((connection): Promise<[Connection, AnswerHead]> => {
    return connection.readHead().then((head) => [connection, head]);
  });
  const [rejected, head] = await Promise.race(heads);
  assert.equal(head.status, 503, "the one too many");
  rejected.close();
  return connections.filter((connection) => connection !== rejected);
}
