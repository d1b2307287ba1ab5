import assert from "node:assert/strict";
import { derivedBodyLimit } from "../../../src/editions/c_ticket/body_limit.ts";
import { assertNoContent, assertRejected, expectStatus } from "../../support/replies.ts";
import { begin, event, sequencesOf, startEditionC, waitForWaiting } from "./client.ts";

const DEFAULTS = { maxEventSize: 65536, maxProjectionSize: 65536, maxProjectionsPerRequest: 100 };

/** Settings, and the cap that the formula of the decisions gives for them. */
const caps: readonly (readonly [Partial<typeof DEFAULTS>, number])[] = [
  [{}, 40_779_776],
  [{ maxEventSize: 1, maxProjectionSize: 1, maxProjectionsPerRequest: 1 }, 100 * 4102 + 1_048_576],
  [{ maxEventSize: 1000, maxProjectionSize: 1000 }, 100 * 10_096 + 1_048_576],
  [{ maxEventSize: 1000, maxProjectionSize: 2000 }, 100 * 16_096 + 1_048_576],
  [{ maxEventSize: 1000, maxProjectionSize: 1000, maxProjectionsPerRequest: 101 }, 101 * 10_096 + 1_048_576],
  [{ maxProjectionSize: 1, maxProjectionsPerRequest: 10_000 }, 10_000 * 4102 + 1_048_576],
];

Deno.test("maxRequestBody is derived from maxEventSize, maxProjectionSize and maxProjectionsPerRequest", () => {
  for (const [settings, bytesMax] of caps) {
    const message = `request body exceeds maxRequestBody (${bytesMax} bytes)`;
    assert.deepEqual(derivedBodyLimit({ ...DEFAULTS, ...settings }), { bytesMax, message });
  }
});

Deno.test("maxRequestBody is printed at the start, 40779776 by default; over it 413 before a byte is read", async () => {
  await using server = await startEditionC();
  assert.match(server.stdout, /^eventstore-server: edition C, .*, maxRequestBody 40779776 bytes$/m);
  const client = server.client();
  const transaction = await begin(client);
  const headers = { "content-length": "40779777" };
  using call = await transaction.start("POST", "/events", { headers });
  const message = "request body exceeds maxRequestBody (40779776 bytes)";
  assertRejected(await call.readReply("POST"), 413, "PayloadTooLarge", message);
  assertRejected(await transaction.commit(), 410, "TicketNotActive");
  // The same cap holds without a ticket, on every endpoint.
  for (const [method, target] of [["QUERY", "/events"], ["POST", "/begin"], ["GET", "/health"]] as const) {
    using other = await client.begin(method, target, { headers });
    assertRejected(await other.readReply(method), 413, "PayloadTooLarge", message);
  }
});

Deno.test("unused bodies take no quota, so requests that wait for a turn cannot starve the one that has it", async () => {
  await using server = await startEditionC();
  const client = server.client();
  const transaction = await begin(client);
  const body = "x".repeat(39_000_000);
  using waiting = await client.begin("POST", "/begin", { body });
  await waitForWaiting(client, 1);
  const large = JSON.stringify({ events: [event("t")] }).padEnd(2_000_000);
  sequencesOf(await transaction.call("POST", "/events", { body: large, chunkBytes: 100_000 }));
  assertNoContent(await transaction.call("POST", "/commit", { body }));
  expectStatus(await waiting.readReply("POST"), 200);
});

Deno.test("the largest append and projections that the limits allow fit, however they are escaped", async () => {
  const size = 2000;
  await using server = await startEditionC({
    SERVICE_MAX_EVENT_SIZE: String(size),
    SERVICE_MAX_PROJECTION_SIZE: String(size),
  });
  const transaction = await begin(server.client());
  const escaped = (count: number): string => "\\u0000".repeat(count);
  // The names and values of 40 tags are the whole event except its type.
  const tags = Array.from({ length: 20 }, (_, i) => `"${escaped(20 + i)}" : [ "${escaped(10)}" ]`).join(
    " , ",
  );
  const tagBytes = 2 * 20 * (29.5 + 10);
  const payload = escaped(size - 1 - tagBytes);
  const one =
    `{ "type" : "\\u0000" , "identifiers" : { ${tags} } , "metadata" : { ${tags} } , "payload" : "${payload}" }`;
  const events = `{"events":[${Array(100).fill(one).join(",")}]}`;
  assert.equal(sequencesOf(await transaction.call("POST", "/events", { body: events })).length, 100);
  const projections = Array.from(
    { length: 100 },
    (_, i) => `{"type":"p","id":"${String(i).padStart(3, "0")}","payload":"${escaped(size - 4)}"}`,
  );
  const changes = `{"create":[${projections.join(",")}]}`;
  expectStatus(await transaction.call("POST", "/projections", { body: changes }), 200);
  assertNoContent(await transaction.commit());
});
