import assert from "node:assert/strict";
import type { EventLine } from "../../support/client.ts";
import { assertRejected } from "../../support/replies.ts";
import { startServer } from "../../support/server_process.ts";

const BODY_BYTES_MAX = 8_388_608;
const DEEP = [
  "[".repeat(BODY_BYTES_MAX),
  '{"a":'.repeat(1_000_000),
  `{"events":${"[".repeat(4_000_000)}${"]".repeat(4_000_000)}}`,
  `{"query":${'[{"types":'.repeat(500_000)}`,
];

for (const listen of ["tcp", "unix"] as const) {
  Deno.test(`${listen}: 8 MiB of nesting is 400 within 2 s, and one byte over the cap is 413`, async () => {
    await using server = await startServer({ listen });
    const client = server.client();
    for (const body of DEEP) {
      for (const [method, target] of [["POST", "/write"], ["QUERY", "/events"]] as const) {
        const started = performance.now();
        assertRejected(await client.request(method, target, { body }), 400, "InvalidRequest", /./);
        assert.ok(performance.now() - started < 2000);
      }
    }
    assertRejected(
      await client.request("POST", "/write", { body: "[".repeat(BODY_BYTES_MAX + 1) }),
      413,
      "PayloadTooLarge",
      "request body exceeds maxRequestBodySize (8388608 bytes)",
    );
    assert.equal((await client.request("GET", "/health")).status, 200);
  });

  Deno.test(`${listen}: NUL comes back intact in type, tags, payload and projections`, async () => {
    await using server = await startServer({ listen });
    const client = server.client();
    const event = {
      type: "t\0y",
      identifiers: { "n\0": ["v\0", "\0"], "\0": "v\0w" },
      metadata: { m: "\0\0" },
      payload: "\0p\0",
    };
    const projection = { type: "t\0", id: "\0i\0", payload: "a\0b" };
    const reply = await client.write({ events: [event], projections: { create: [projection] } });
    assert.equal(reply.status, 200, reply.text);
    await server.restart();
    for (
      const query of ["*", [{ types: ["t\0y"] }], [{ identifiers: [{ name: "n\0", value: "\0" }] }], [{
        metadata: [{ name: "m", value: "\0\0" }],
      }]]
    ) {
      const [read] = (await client.queryEvents(query)).events;
      const { sequence: _sequence, time: _time, ...rest } = read ?? {} as EventLine;
      assert.deepEqual(rest, event);
    }
    for (const query of [[{ types: ["t"] }], [{ identifiers: [{ name: "n\0", value: "v" }] }]]) {
      assert.deepEqual((await client.queryEvents(query)).events, []);
    }
    assert.equal((await client.request("GET", "/projections/t%00/%00i%00")).text, "a\0b");
    assert.equal((await client.request("GET", "/projections/t/%00i%00")).status, 404);
  });

  Deno.test(`${listen}: a query of 100 items of 100 values each, of tags, is answered`, async () => {
    await using server = await startServer({ listen });
    const client = server.client();
    await client.append({ type: "t", identifiers: { "99 1": "99", "99 2": "98" }, payload: "" });
    const query = Array.from({ length: 100 }, (_, i) => ({
      identifiers: Array.from({ length: 100 }, (_, j) => ({ name: `${i} ${j}`, value: String(j) })),
    }));
    assert.deepEqual((await client.queryEvents(query)).events, []);
    const found = [...query.slice(1), { identifiers: [{ name: "99 1", value: "99" }] }];
    assert.equal((await client.queryEvents(found)).events.length, 1);
  });
}
