import assert from "node:assert/strict";
import { startServer } from "../../support/server_process.ts";
import { WaitingRead } from "../../support/waiting_read.ts";

/** A size so large that the server receives only one such body at a time. */
const LARGE_BYTES = 60 * 1024 * 1024;

Deno.test("a waiting read holds no memory for large bodies", async () => {
  await using server = await startServer({
    listen: "unix",
    env: { SERVICE_MAX_REQUEST_BODY_SIZE: String(LARGE_BYTES) },
  });
  const client = server.client();
  const read = JSON.stringify({ query: [{ types: ["t"] }], waitSeconds: 60 });
  using waiting = await WaitingRead.beginBody(client, read.padEnd(LARGE_BYTES));
  const large = { type: "u", payload: "x".repeat(50_000) };
  await client.append(...Array.from({ length: 100 }, () => large));
  assert.equal(waiting.isAnswered, false);
  await client.append({ type: "t", payload: "1" });
  assert.deepEqual((await waiting.page).events.map(({ payload }) => payload), ["1"]);
});
