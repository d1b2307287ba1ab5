import assert from "node:assert/strict";
import { startExplorer } from "../../explorer/server/start_explorer.ts";
import { placeOf, sharedTestServer } from "../client/support.ts";
import { eventually, pause } from "../support/eventually.ts";
import { keyOf, sendRaw } from "./raw_requests.ts";

/*
 * The explorer forwards requests to the store, and answers to the page.
 */

const EVENT = '{"events":[{"type":"Noted","payload":"p"}]}';
const TOKEN = "the-token-of-this-test";
const AUTHORIZATION = { authorization: `Bearer ${TOKEN}` };

const env = { SERVICE_ENABLE_AUTH: "true", SERVICE_AUTH_TOKEN: TOKEN };
const servers = { tcp: sharedTestServer("tcp", env), unix: sharedTestServer("unix", env) };

for (const listen of ["tcp", "unix"] as const) {
  Deno.test(`reads reach a store on ${listen} that wants a token, which the browser never sees`, async () => {
    const server = servers[listen];
    await server.client(AUTHORIZATION).request("POST", "/write", { body: EVENT });
    await using explorer = startExplorer({ store: { ...placeOf(server.address), token: TOKEN } });
    const about = await sendRaw(explorer, { path: "/about" });
    const { place, hasToken, isSocket, allowWrites } = about.json<Record<string, unknown>>();
    assert.deepEqual([hasToken, isSocket, allowWrites], [true, listen === "unix", false]);
    assert.equal(place, explorer.place);
    const page = await sendRaw(explorer, {
      method: "QUERY",
      path: "/store/events",
      body: '{"query":"*","waitSeconds":0}',
    });
    assert.equal(page.status, 200);
    assert.match(page.text, /^\{"sequence":1,.*\n\{"hasMore":false\}\n$/);
    assert.equal(page.headers.get("x-service-head"), "1");
    assert.match(page.headers.get("x-service-store")!, /^[0-9a-f-]{36}$/);
    const replies = [about, page];
    for (
      const path of [
        "/store/whoami",
        "/store/health",
        "/store/metrics",
        "/store/debug",
        "/store/catalog",
        "/store/position?time=2026-01-01T00:00:00Z",
        "/store/projections?limit=1",
        "/store/projections/a/b",
      ]
    ) {
      replies.push(await sendRaw(explorer, { path }));
    }
    assert.deepEqual(replies.map(({ status }) => status), [...Array(9).fill(200), 404]);
    assert.equal(replies.at(-1)!.headers.get("x-service-error"), "ProjectionNotFound");
    for (const { text, headers } of replies) {
      assert.ok(!`${text}${[...headers]}`.includes(TOKEN));
      assert.notEqual(headers.get("content-type"), "text/html");
    }
  });
}

Deno.test("a wrong token shows as what the store says", async () => {
  await using explorer = startExplorer({ store: { ...placeOf(servers.tcp.address), token: "another" } });
  const reply = await sendRaw(explorer, { path: "/store/debug" });
  assert.deepEqual([reply.status, reply.json<{ error: string }>().error], [401, "Unauthorized"]);
});

Deno.test("a store that sends its clients elsewhere is a 502 that says where to, and is left", async () => {
  let isLeft = false;
  const endless = (): ReadableStream<Uint8Array> =>
    new ReadableStream({
      pull: (controller) => pause(10).then(() => controller.enqueue(new Uint8Array(9))),
      cancel: () => void (isLeft = true),
    });
  const redirecting = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response(endless(), { status: 302, headers: { location: "https://example.com/login" } }),
  );
  try {
    await using explorer = startExplorer({ store: { url: `http://127.0.0.1:${redirecting.addr.port}` } });
    const reply = await sendRaw(explorer, { path: "/store/health" });
    const { error, message } = reply.json<{ error: string; message: string }>();
    assert.deepEqual([reply.status, error], [502, "Redirected"]);
    assert.match(message, /sends its clients to https:\/\/example\.com\/login$/);
    await eventually(() => assert.ok(isLeft));
  } finally {
    await redirecting.shutdown();
  }
});

Deno.test("a store that is away is a 502 that says where it was looked for", async () => {
  const closed = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = closed.addr;
  closed.close();
  for (
    const [store, reason] of [
      [{ url: `http://127.0.0.1:${port}` }, "connection refused"],
      [{ socketPath: "/nowhere/server.sock" }, "no such socket"],
    ] as const
  ) {
    await using explorer = startExplorer({ store });
    const reply = await sendRaw(explorer, { path: "/store/health" });
    const { error, message } = reply.json<{ error: string; message: string }>();
    assert.deepEqual([reply.status, error], [502, "Unreachable"]);
    assert.equal(message, `the store at ${explorer.place} does not answer: ${reason}`);
  }
});

/** All other requests of the editions, and requests that resemble permitted ones. */
const NEVER = [
  ["POST", "/store/reset"],
  ["POST", "/store/pause"],
  ["POST", "/store/resume"],
  ["POST", "/store/optimize"],
  ["POST", "/store/projections"],
  ["DELETE", "/store/projections"],
  ["DELETE", "/store/projections/a"],
  ["GET", "/store/debug/pprof/heap"],
  ["POST", "/store/forget"],
  ["GET", "/store/subjects/keys"],
  ["GET", "/store/subjects/forgotten"],
  ["GET", "/store/subjects/student/s1"],
  ["POST", "/store/health"],
  ["GET", "/store/events"],
  ["HEAD", "/store/health"],
  ["GET", "/store/"],
  ["GET", "/store//health"],
  ["GET", "/store/health/"],
  ["GET", "/store/projections/a/b/c"],
  ["GET", "/store/projections/../reset"],
  ["POST", "/store/projections/x/../../reset"],
  ["POST", "/store/%2e%2e/reset"],
  ["POST", "/store/projections/%2e%2e/reset"],
  ["POST", "/store/tx/../reset"],
  ["DELETE", "/store/tx/%2e%2e/projections"],
  ["DELETE", "/store/tx/a%2f..%2f..%2fprojections"],
  ["POST", "/store\\reset"],
  ["GET", "/health"],
  ["CONNECT", "127.0.0.1:1"],
] as const;

Deno.test("what is not on the list is not sent, whether writes are allowed or not", async () => {
  const seen: string[] = [];
  await using store = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    seen.push(`${request.method} ${new URL(request.url).pathname}`);
    return new Response("{}");
  });
  for (const allowWrites of [false, true]) {
    await using explorer = startExplorer({
      store: { url: `http://127.0.0.1:${store.addr.port}` },
      allowWrites,
    });
    for (const [method, path] of NEVER) {
      const reply = await sendRaw(explorer, { method, path }).catch(() => undefined);
      if (reply !== undefined) assert.ok([400, 403, 404, 405].includes(reply.status), `${method} ${path}`);
    }
  }
  assert.deepEqual(seen, []);
});

Deno.test("writes are rejected unless they are allowed", async () => {
  const store = { ...placeOf(servers.tcp.address), token: TOKEN };
  await using reading = startExplorer({ store });
  const writes = [
    ["POST", "/write"],
    ["POST", "/tx"],
    ["POST", "/tx/1/events"],
    ["POST", "/tx/1/commit"],
    ["DELETE", "/tx/1"],
    ["QUERY", "/tx/1/events"],
    ["POST", "/begin"],
    ["POST", "/events"],
    ["POST", "/commit"],
    ["POST", "/rollback"],
  ] as const;
  for (const [method, path] of writes) {
    const reply = await sendRaw(reading, { method, path: `/store${path}`, body: EVENT });
    assert.equal(reply.status, 403, path);
    assert.match(reply.text, /ReadOnly.*--allow-writes/);
  }
  await using writing = startExplorer({ store, allowWrites: true });
  const written = await sendRaw(writing, { method: "POST", path: "/store/write", body: EVENT });
  assert.deepEqual([written.status, written.json<{ events: unknown[] }>().events.length], [200, 1]);
});

Deno.test("the store gets none of the browser's headers but the ticket", async () => {
  const seen: Headers[] = [];
  await using store = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    seen.push(request.headers);
    const headers = { "x-service-head": "1", "set-cookie": "a=b", "access-control-allow-origin": "*" };
    return new Response("<script>", { headers: { ...headers, "content-type": "text/html" } });
  });
  await using explorer = startExplorer({ store: { url: `http://127.0.0.1:${store.addr.port}` } });
  const reply = await sendRaw(explorer, {
    method: "QUERY",
    path: "/store/events",
    body: "{}",
    headers: [
      ["Cookie", "a=b"],
      ["Origin", `http://127.0.0.1:${explorer.port}`],
      ["Sec-Fetch-Site", "same-origin"],
      ["Authorization", "Bearer mine"],
      ["X-Service-Ticket", "t1"],
      ["Referer", explorer.url],
    ],
  });
  const names = [...seen[0]!.keys()].filter((name) =>
    !/^(host|accept|accept-encoding|accept-language|user-agent|content-length|content-type)$/.test(name)
  );
  assert.deepEqual(names, ["x-service-ticket"]);
  assert.ok(![...seen[0]!.values()].some((value) => value.includes(keyOf(explorer))));
  assert.equal(reply.headers.get("content-type"), "text/plain; charset=utf-8");
  assert.equal(reply.headers.get("x-service-head"), "1");
  for (const name of ["set-cookie", "access-control-allow-origin"]) {
    assert.equal(reply.headers.get(name), undefined);
  }
});

for (const listen of ["tcp", "unix"] as const) {
  Deno.test(`a waiting read over ${listen} ends at the store when the browser leaves, and when the explorer stops`, async () => {
    const server = servers[listen];
    await using explorer = startExplorer({ store: { ...placeOf(server.address), token: TOKEN } });
    const waiting = (signal: AbortSignal): Promise<string> =>
      fetch(`http://127.0.0.1:${explorer.port}/store/events`, {
        method: "QUERY",
        headers: { "x-explorer-key": keyOf(explorer) },
        body: '{"query":"*","waitSeconds":60}',
        signal,
      }).then((response) => response.text(), String);
    const hasWaiting = (count: number) => async (): Promise<void> => {
      const debug = await server.client(AUTHORIZATION).request("GET", "/debug");
      assert.equal(debug.json<{ read: { waiting: number } }>().read.waiting, count);
    };
    const leaving = new AbortController();
    const left = waiting(leaving.signal);
    await eventually(hasWaiting(1), 20);
    leaving.abort();
    await left;
    await eventually(hasWaiting(0), 20);
    const cut = waiting(new AbortController().signal);
    await eventually(hasWaiting(1), 20);
    await explorer.stop();
    await cut;
    await eventually(hasWaiting(0), 20);
  });
}

Deno.test("a body without end is rejected", async () => {
  await using explorer = startExplorer({ store: { url: "http://127.0.0.1:1" } });
  const piece = new Uint8Array(1_000_000);
  const response = await fetch(`http://127.0.0.1:${explorer.port}/store/events`, {
    method: "QUERY",
    headers: { "x-explorer-key": keyOf(explorer) },
    body: ReadableStream.from((function* () {
      for (let i = 0; i < 20; i++) yield piece;
    })()),
  });
  assert.equal(response.status, 413);
  await response.body?.cancel();
});
