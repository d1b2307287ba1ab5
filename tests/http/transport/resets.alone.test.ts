import assert from "node:assert/strict";
import { Connection } from "../../support/connection.ts";
import { eventually, pause } from "../../support/eventually.ts";
import { startServer } from "../../support/server_process.ts";
import { Resets } from "./support/resets.ts";
import { requestBytes } from "./support/requests.ts";

const RESETS_PER_SECOND = 800;
const CLIENTS = 201;

/** The median is below 1 ms on an idle machine, and a hundred times as long when each reset causes a pause. */
const MEDIAN_MILLISECONDS_MAX = 10;

Deno.test("connections that are reset before they are accepted do not delay others", async () => {
  await using server = await startServer({ listen: "tcp", listenOnly: true });
  assert.ok(server.address.transport === "tcp");
  await using resets = new Resets(server.address.port, RESETS_PER_SECOND);
  await eventually(() => assert.ok(resets.count > RESETS_PER_SECOND / 4, "the flood runs"), 10);
  const took: number[] = [];
  for (let i = 0; i < CLIENTS; i++) {
    const startedAt = performance.now();
    using connection = await Connection.open(server.address);
    await connection.send(requestBytes("GET", "/health"));
    assert.equal((await connection.readReply("GET")).status, 200);
    took.push(performance.now() - startedAt);
    await pause(5);
  }
  took.sort((a, b) => a - b);
  const median = took[(CLIENTS - 1) / 2]!;
  assert.ok(median < MEDIAN_MILLISECONDS_MAX, `the median is ${median.toFixed(2)} ms`);
});
