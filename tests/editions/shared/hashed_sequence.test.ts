import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.ts";
import { metrics, metricTypes, SUBJECT_TYPES } from "../../support/metrics.ts";
import { startServer } from "../../support/server_process.ts";

const BLOCK_EVENTS = 1024;

Deno.test("the metrics show how many events are hashed for proofs, before any proof, and none after a reset", async () => {
  const env = { SERVICE_SUBJECTS: "student", SERVICE_DEV_MODE: "true" };
  await using server = await startServer({ listen: "unix", env });
  const client = server.client();
  const hashed = async (): Promise<number | undefined> =>
    (await metrics(client)).get("service_last_hashed_sequence");
  assert.equal(await hashed(), 0);
  const events = Array.from({ length: BLOCK_EVENTS + 1 }, (_, i) => ({ type: "t", payload: `${i}` }));
  for (let i = 0; i < events.length; i += 100) await client.append(...events.slice(i, i + 100));
  await eventually(async () => assert.equal(await hashed(), BLOCK_EVENTS), 30);
  const { text } = await client.request("GET", "/metrics");
  const types = metricTypes(text).filter(([name]) => name in SUBJECT_TYPES);
  assert.deepEqual(types, Object.entries(SUBJECT_TYPES));
  assert.equal((await client.request("POST", "/reset")).status, 204);
  assert.equal(await hashed(), 0);
});
