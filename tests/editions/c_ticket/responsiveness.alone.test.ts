import assert from "node:assert/strict";
import { LONG_TYPE, makeAppendLong } from "../../support/long_statements.ts";
import { assertNoContent, expectStatus } from "../../support/replies.ts";
import { begin, debugDocument, event, sequencesOf, startEditionC } from "./client.ts";

/** The limit allows for other load on the machine. The long call takes ten times as long. */
const MEDIAN_MILLISECONDS_MAX = 50;

Deno.test("committed reads, /debug, /metrics and /health do not wait for the transaction, nor for a long call in it", async () => {
  await using server = await startEditionC();
  const client = server.client();
  makeAppendLong(server.dataDir, 0.6);
  const requests: readonly [what: string, send: () => Promise<{ readonly status: number }>][] = [
    ["/debug", () => client.request("GET", "/debug")],
    ["/metrics", () => client.request("GET", "/metrics")],
    ["/health", () => client.request("GET", "/health")],
    ["read", () => client.request("QUERY", "/events", { json: { query: [{ types: ["t"] }], limit: 10 } })],
    ["projection", () => client.request("GET", "/projections/p/1")],
  ];
  // Reader workers start on demand.
  for (const [, send] of requests) await send();

  const transaction = await begin(client);
  sequencesOf(await transaction.append([event("own")]));
  let out = true;
  const started = performance.now();
  const long = transaction.append([event(LONG_TYPE)]).finally(() => out = false);
  while ((await debugDocument(client)).write.active?.calls !== 2);
  const milliseconds = new Map(requests.map(([what]) => [what, [] as number[]]));
  while (out) {
    for (const [what, send] of requests) {
      const asked = performance.now();
      const { status } = await send();
      assert.equal(status, what === "projection" ? 404 : 200);
      if (out) milliseconds.get(what)!.push(performance.now() - asked);
    }
  }
  expectStatus(await long, 200);
  const seconds = (performance.now() - started) / 1000;
  assert.ok(seconds > 0.5, `the long call took ${seconds} s only`);
  for (const [what, times] of milliseconds) {
    const median = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Infinity;
    const summary = `${what}: ${times.length} answers in ${seconds.toFixed(1)} s, median ${median} ms`;
    assert.ok(times.length >= 5 && median < MEDIAN_MILLISECONDS_MAX, summary);
  }
  assertNoContent(await transaction.rollback());
});
