import assert from "node:assert/strict";
import { DelayingProxy } from "./delaying_proxy.ts";

const DELAY_MILLISECONDS = 30;

Deno.test("a delaying proxy keeps the order, delays each message once, and ends with either side", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  await using proxy = new DelayingProxy(listener.addr.port, DELAY_MILLISECONDS);
  const client = await Deno.connect({ hostname: "127.0.0.1", port: proxy.port });
  using server = await listener.accept();
  const startedAt = performance.now();
  const sent = Array.from({ length: 20 }, (_, i) => `${i} `);
  for (const text of sent) await client.write(new TextEncoder().encode(text));
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(1000);
  let arrived = "";
  while (arrived.length < sent.join("").length) {
    arrived += decoder.decode(buffer.subarray(0, await server.read(buffer) ?? 0));
  }
  assert.equal(arrived, sent.join(""));
  assert.ok(performance.now() - startedAt >= DELAY_MILLISECONDS - 1);
  await server.write(new TextEncoder().encode("back"));
  assert.equal(decoder.decode(buffer.subarray(0, await client.read(buffer) ?? 0)), "back");
  client.close();
  assert.equal(await server.read(buffer), null);
});
