import assert from "node:assert/strict";
import { chunkOf, ScriptedUpstream, sendText } from "../../support/scripted_upstream.ts";
import { startServer } from "../../support/server_process.ts";
import { type Proxy, startProxy } from "./proxy.ts";
import { proxyTest } from "./proxy_test.ts";

function httpsClient(proxy: Proxy): Deno.HttpClient {
  return Deno.createHttpClient({ caCerts: [proxy.certificate] });
}

for (const listen of ["unix", "tcp"] as const) {
  await proxyTest(`HTTPS to a server on ${listen} that asks for the token`, async (name, programs) => {
    const env = { SERVICE_ENABLE_AUTH: "true", SERVICE_AUTH_TOKEN: "correct-horse-battery" };
    await using server = await startServer({ listen, listenOnly: true, env });
    await using proxy = await startProxy(name, programs, server.address);
    using client = httpsClient(proxy);
    const headers = { authorization: `Bearer ${env.SERVICE_AUTH_TOKEN}` };
    const send = (method: string, path: string, json: unknown, token = headers): Promise<Response> =>
      fetch(`${proxy.httpsUrl}${path}`, { client, method, body: JSON.stringify(json), headers: token });

    const written = await send("POST", "/write", { events: [{ type: "t", payload: "1" }] });
    assert.equal(written.status, 200, await written.text());
    const read = await send("QUERY", "/events", { query: "*" });
    assert.match(await read.text(), /"payload":"1"\}\n\{"hasMore":false\}\n$/);
    assert.match(read.headers.get("x-service-store") ?? "", /^[0-9a-f-]{36}$/);
    const rejected = await send("QUERY", "/events", { query: "*" }, { authorization: "Bearer wrong" });
    assert.equal(rejected.status, 401);
    assert.match(await rejected.text(), /"Unauthorized"/);
  });
}

await proxyTest("a page comes line by line over HTTPS as well", async (name, programs) => {
  const arrived = Promise.withResolvers<void>();
  using upstream = new ScriptedUpstream(async (_, conn) => {
    const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    await sendText(conn, head + chunkOf('{"sequence":1}\n'));
    await arrived.promise;
    await sendText(conn, `${chunkOf('{"hasMore":false}\n')}0\r\n\r\n`);
    return true;
  });
  await using proxy = await startProxy(name, programs, upstream.address);
  using client = httpsClient(proxy);
  const signal = AbortSignal.timeout(10_000);
  const request = { client, signal, method: "QUERY", body: '{"query":"*"}' };
  const reply = await fetch(`${proxy.httpsUrl}/events`, request);
  const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader();
  assert.equal((await reader.read()).value, '{"sequence":1}\n');
  arrived.resolve();
  assert.equal((await reader.read()).value, '{"hasMore":false}\n');
  assert.equal((await reader.read()).done, true);
});
