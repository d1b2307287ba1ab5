import assert from "node:assert/strict";
import { Client } from "../../support/client.ts";
import { ScriptedUpstream, sendText } from "../../support/scripted_upstream.ts";
import { startProxy } from "./proxy.ts";
import { proxiedTest, proxyTest } from "./proxy_test.ts";

async function answerOk(_: unknown, conn: Deno.Conn): Promise<boolean> {
  await sendText(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  return true;
}

const UNCHANGED = [
  "/projections/t/a%2Fb",
  "/projections/a%2fb/c%5Cd",
  "/projections/t/%2e%2e",
  "/projections/t/%2E%2e?x=/..%2F&y",
  "/projections/t/..",
  "/projections/t/./a",
  "//events",
  "/projections/t/%252F",
  "/projections/t/%ff",
  "/projections/t/%20+~!$&'()*,;=:@%C3%A9",
];

/** The paths that nginx rejects on its own, according to the page. */
const REJECTED_BY_NGINX = ["/projections/t/n%00n", "/projections/%2e%2e/%2e%2e"];

await proxyTest("paths reach the server as the client wrote them", async (name, programs) => {
  using upstream = new ScriptedUpstream(answerOk);
  await using proxy = await startProxy(name, programs, upstream.address);
  const client = new Client(proxy.address);
  const targets = name === "nginx" ? UNCHANGED : [...UNCHANGED, ...REJECTED_BY_NGINX];
  for (const target of targets) {
    assert.equal((await client.request("GET", target)).status, 200, target);
    assert.equal(upstream.requests.at(-1)?.head.split(" ")[1], target);
  }
  if (name !== "nginx") return;
  for (const target of REJECTED_BY_NGINX) {
    assert.equal((await client.request("GET", target)).status, 400, target);
  }
  assert.equal(upstream.requests.length, UNCHANGED.length);
});

await proxyTest("method, Authorization and X-Service fields pass, over HTTP/1.1", async (name, programs) => {
  using upstream = new ScriptedUpstream(answerOk);
  await using proxy = await startProxy(name, programs, upstream.address);
  const headers = { authorization: "Bearer a.b-c~d+e/f==", "x-service-ticket": "4e1f" };
  for (const chunkBytes of [0, 3]) {
    const body = '{"query":"*"}';
    await new Client(proxy.address).request("QUERY", "/events", { body, headers, chunkBytes });
    const seen = upstream.requests.at(-1);
    assert.match(seen?.head ?? "", /^QUERY \/events HTTP\/1\.1\r\n/);
    for (const [field, value] of Object.entries(headers)) {
      const line = seen?.head.split("\r\n").find((text) => text.toLowerCase().startsWith(`${field}: `));
      assert.equal(line?.slice(field.length + 2), value);
    }
    assert.equal(seen?.body, body);
  }
});

const PRIVATE = [
  "/metrics",
  "/metrics?x",
  "/%6Detrics",
  "/stats",
  "/stat%73",
  "/debug",
  "/debug/pprof/",
  "/debug/pprof/heap",
  "/%64ebug/ppro%66/",
  "/reset",
  "http://localhost/metrics",
];

for (const edition of ["A", "B"]) {
  await proxiedTest(`the paths that edition ${edition} has for operators stay inside`, {
    listen: "unix",
    env: { SERVICE_DEV_MODE: "true", SERVICE_EDITION: edition },
  }, async ({ proxy, client }) => {
    for (const target of PRIVATE) {
      for (const method of ["GET", "POST"]) {
        const reply = await client.request(method, target);
        assert.equal(reply.status, 404, `${method} ${target}`);
        assert.doesNotMatch(reply.text, /unknown path/, `${method} ${target} reached the server`);
      }
    }
    assert.equal((await client.request("GET", "/health")).status, 200);
    const root = await client.request("GET", "/");
    assert.equal(root.status, 200);
    assert.match(root.text, new RegExp(`^Event store \\S+, edition ${edition}\\. [^\\n]*\\n$`));
    const forPrometheus = new Client(proxy.metricsAddress);
    const metrics = await forPrometheus.request("GET", "/metrics");
    assert.equal(metrics.status, 200);
    assert.match(metrics.text, /^service_requests_queued 0$/m);
    for (const target of ["/", "/health", "/debug", "/events", "/metrics/"]) {
      const reply = await forPrometheus.request("GET", target);
      assert.equal(reply.status, 404, target);
      assert.doesNotMatch(reply.text, /unknown path/, `${target} reached the server`);
    }
    const { status, text } = await client.request("GET", "/unknown");
    assert.deepEqual([status, text.trim()], [404, "unknown path"]);
  });
}
