import assert from "node:assert/strict";
import { assertRejected } from "../../support/replies.ts";
import { startServer } from "../../support/server_process.ts";

const BODY_BYTES_MAX = 8_388_608;
const DEEP = [
  "[".repeat(BODY_BYTES_MAX),
  '{"a":'.repeat(1_000_000),
  `{"events":${"[".repeat(4_000_000)}${"]".repeat(4_000_000)}}`,
  `{"query":${'[{"types":'.repeat(500_000)}`,
];

Deno.test("8 MiB of nesting is 400 within 2 s, and one byte over the cap is 413", async () => {
  await using server = await startServer({ listen: "unix" });
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
