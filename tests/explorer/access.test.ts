import assert from "node:assert/strict";
import { foreignError } from "../../explorer/server/access.ts";
import { startExplorer } from "../../explorer/server/start_explorer.ts";
import { placeOf, sharedTestServer } from "../client/support.ts";
import { keyOf, sendRaw } from "./raw_requests.ts";

/*
 * The explorer answers its own page, opened with its link, and no other client.
 */

const server = sharedTestServer();
const NOWHERE = { url: "http://127.0.0.1:1" };

Deno.test("the page itself needs no key, and the link carries one that no second explorer has", async () => {
  await using explorer = startExplorer({ store: NOWHERE });
  await using other = startExplorer({ store: NOWHERE });
  assert.match(explorer.url, /^http:\/\/127\.0\.0\.1:\d+\/#key=[\w-]{32}$/);
  assert.notEqual(keyOf(explorer), keyOf(other));
  for (const [path, type] of [["/", "html"], ["/page.css", "css"], ["/page.js", "javascript"]] as const) {
    const reply = await sendRaw(explorer, { path, key: undefined });
    assert.equal(reply.status, 200, path);
    assert.equal(reply.headers.get("content-type"), `text/${type}; charset=utf-8`);
    assert.ok(!reply.text.includes(keyOf(explorer)));
  }
});

Deno.test("nothing of the store is answered without the key", async () => {
  await using explorer = startExplorer({ store: placeOf(server.address), allowWrites: true });
  const right = keyOf(explorer);
  const wrong = [
    undefined,
    "",
    "x",
    right.slice(1),
    `${right}x`,
    right.toLowerCase() + " ",
    right.replace(/.$/, "!"),
  ];
  for (const key of wrong) {
    for (const path of ["/about", "/store/health", "/store/events", "/anything", "//store/health"]) {
      const reply = await sendRaw(explorer, { path, key });
      assert.equal(reply.status, 403, `${path} with ${key}`);
    }
  }
  assert.equal((await sendRaw(explorer, { path: "/store/health" })).status, 200);
});

Deno.test("a key in the target or in a cookie is none", async () => {
  await using explorer = startExplorer({ store: NOWHERE });
  const key = keyOf(explorer);
  const cookie = [["Cookie", `key=${key}; x-explorer-key=${key}`]] as const;
  for (const path of [`/about?key=${key}`, `/about?x-explorer-key=${key}`]) {
    assert.equal((await sendRaw(explorer, { path, key: undefined, headers: cookie })).status, 403);
  }
});

Deno.test("a request for another host is rejected, even of the page, whatever key it has", async () => {
  await using explorer = startExplorer({ store: NOWHERE });
  const { port } = explorer;
  const foreign = [
    "evil.example",
    `evil.example:${port}`,
    `127.0.0.1.evil.example:${port}`,
    "127.0.0.1",
    `127.0.0.1:${port + 1}`,
    `0.0.0.0:${port}`,
    `[::1]:${port}`,
    `localhost.:${port}`,
  ];
  for (const host of foreign) {
    for (const path of ["/", "/about", "/page.js"]) {
      assert.equal((await sendRaw(explorer, { path, host })).status, 403, `${host} ${path}`);
    }
  }
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`]) {
    assert.equal((await sendRaw(explorer, { path: "/about", host })).status, 200, host);
  }
  assert.notEqual((await sendRaw(explorer, { path: "/about", host: undefined })).status, 200);
  // In a request in the form for proxies, the target decides.
  const absolute = await sendRaw(explorer, { path: "http://evil.example/about" });
  assert.notEqual(absolute.status, 200);
  // An invalid target is rejected like a wrong one.
  const unreadable = await sendRaw(explorer, { path: "http://[evil/about" });
  assert.equal(unreadable.status, 403);
  assert.ok(unreadable.headers.has("content-security-policy"));
});

Deno.test("at port 80 a browser names no port", () => {
  const requestOf = (host: string, origin: string): Request =>
    new Request("http://127.0.0.1/about", { headers: { host, origin } });
  assert.equal(foreignError(requestOf("127.0.0.1", "http://127.0.0.1"), 80), undefined);
  assert.equal(foreignError(requestOf("127.0.0.1:8080", "http://127.0.0.1:8080"), 80)?.status, 403);
});

Deno.test("a request of another page is rejected, whatever key it has", async () => {
  await using explorer = startExplorer({ store: NOWHERE });
  const { port } = explorer;
  const foreign = [
    "null",
    "https://evil.example",
    `https://127.0.0.1:${port}`,
    "http://127.0.0.1",
    "",
    `http://localhost:${port}`,
    `http://127.0.0.1:${port + 1}`,
  ];
  for (const origin of foreign) {
    for (const method of ["GET", "POST", "QUERY", "OPTIONS"]) {
      const reply = await sendRaw(explorer, { method, path: "/about", headers: [["Origin", origin]] });
      assert.equal(reply.status, 403, `${method} ${origin}`);
      for (const [name] of reply.headers) assert.doesNotMatch(name, /^access-control-/);
    }
  }
  const own = await sendRaw(explorer, { path: "/about", headers: [["Origin", `http://127.0.0.1:${port}`]] });
  assert.equal(own.status, 200);
});

Deno.test("every answer has a strict policy, is not stored anywhere, and its type is not guessed", async () => {
  await using explorer = startExplorer({ store: placeOf(server.address) });
  const paths = ["/", "/page.css", "/page.js", "/about", "/store/metrics", "/store/reset", "/nothing"];
  for (const path of paths) {
    const { headers } = await sendRaw(explorer, { path });
    const policy = headers.get("content-security-policy") ?? "";
    assert.match(
      policy,
      /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';/,
      path,
    );
    assert.match(policy, /frame-ancestors 'none'/);
    assert.match(policy, /require-trusted-types-for 'script'; trusted-types 'none'/);
    assert.doesNotMatch(policy, /unsafe|\*|https?:/);
    assert.equal(headers.get("cache-control"), "no-store");
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("referrer-policy"), "no-referrer");
    assert.equal(headers.get("cross-origin-resource-policy"), "same-origin");
  }
});

Deno.test("it listens on 127.0.0.1 alone, and on the port that was asked for", async () => {
  await using first = startExplorer({ store: NOWHERE });
  const { port } = first;
  await assert.rejects(Deno.connect({ hostname: "::1", port }));
  assert.throws(() => startExplorer({ store: NOWHERE, port }), Deno.errors.AddrInUse);
  await first.stop();
  await using second = startExplorer({ store: NOWHERE, port });
  assert.equal(second.port, port);
});

Deno.test("a place that is none is rejected before anything listens", () => {
  for (const url of ["", "127.0.0.1:8085", "ftp://127.0.0.1", "http://name:password@127.0.0.1:8085"]) {
    assert.throws(() => startExplorer({ store: { url } }), TypeError, url);
  }
  assert.throws(() => startExplorer({ store: {} }), /url or the socketPath/);
  for (const token of ["two\nlines", "a \u20ac"]) {
    assert.throws(
      () => startExplorer({ store: { ...NOWHERE, token } }),
      /^TypeError: the token is not printable ASCII$/,
    );
  }
});
