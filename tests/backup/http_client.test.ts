import assert from "node:assert/strict";
import { type Answer, HttpClient } from "../../src/backup/source/http_client.ts";
import { type FakeAnswer, type FakeRequest, FakeSource } from "./fake_source.ts";

const REQUEST = new TextEncoder().encode("QUERY /events HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}");
const LIMITS = { connectSeconds: 5, stallSeconds: 5 };
const OK = "HTTP/1.1 200 OK\r\n";

async function bodyOf(answer: Answer): Promise<string> {
  let text = "";
  for await (const piece of answer.body) text += new TextDecoder().decode(piece);
  return text;
}

/** Sends one request. */
async function bodyFrom(answer: FakeAnswer | string): Promise<string> {
  await using server = new FakeSource(() => answer);
  using client = new HttpClient({ ...server.address, tls: false }, LIMITS, new AbortController().signal);
  return await bodyOf(await client.request(REQUEST));
}

/** Sends requests one after the other. @returns the number of connections that they took */
async function connectionsFor(
  count: number,
  answer: (request: FakeRequest, count: number) => FakeAnswer | string,
): Promise<number> {
  await using server = new FakeSource(answer);
  using client = new HttpClient({ ...server.address, tls: false }, LIMITS, new AbortController().signal);
  for (let i = 0; i < count; i++) assert.equal(await bodyOf(await client.request(REQUEST)), "hello");
  assert.equal(server.requests.length >= count, true);
  return server.connections;
}

Deno.test("a body is as long as its head says, in whatever way", async () => {
  assert.equal(await bodyFrom(`${OK}Content-Length: 5\r\n\r\nhello`), "hello");
  assert.equal(await bodyFrom(`${OK}content-length:0\r\n\r\n`), "");
  const chunks = "3\r\nhel\r\n2;name=value\r\nlo\r\n0\r\nTrailer: x\r\n\r\n";
  assert.equal(await bodyFrom(`${OK}Transfer-Encoding: chunked\r\n\r\n${chunks}`), "hello");
  assert.equal(await bodyFrom({ bytes: `${OK}\r\nhello`, then: "close" }), "hello");
  assert.equal(await bodyFrom({ bytes: "HTTP/1.0 200 OK\r\n\r\nhello", then: "close" }), "hello");
  assert.equal(await bodyFrom("HTTP/1.1 204 No Content\r\n\r\n"), "");
});

Deno.test("a body that ends before it is complete is an error", async () => {
  for (
    const rest of [
      "Content-Length: 6\r\n\r\nhello",
      "Transfer-Encoding: chunked\r\n\r\n",
      "Transfer-Encoding: chunked\r\n\r\n5\r\nhel",
      "Transfer-Encoding: chunked\r\n\r\n5\r\nhello",
      "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
      "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
    ]
  ) {
    await assert.rejects(bodyFrom({ bytes: OK + rest, then: "close" }), /ended in the middle/, rest);
  }
});

Deno.test("informational answers are passed over", async () => {
  assert.equal(await bodyFrom(`HTTP/1.1 100 Continue\r\n\r\n${OK}Content-Length: 5\r\n\r\nhello`), "hello");
});

Deno.test("a response that is not HTTP is an error", async () => {
  for (const bytes of ["\r\n\r\n", "HTTP/2 200\r\n\r\n", "220 smtp ready\r\n", "\x16\x03\x01\x02\n"]) {
    await assert.rejects(bodyFrom({ bytes, then: "close" }), /does not speak HTTP/, bytes);
  }
  await assert.rejects(bodyFrom(`${OK}Content-Length: five\r\n\r\nhello`), /does not speak HTTP/);
  await assert.rejects(bodyFrom(`${OK}X: ${"x".repeat(100_000)}\r\n\r\n`), /endless head/);
  await assert.rejects(bodyFrom(`${OK}${"X: x\r\n".repeat(300)}\r\n`), /more than 200 lines/);
});

Deno.test("an endless response is rejected by its number of lines or parts, not by its time", async () => {
  const hint = "HTTP/1.1 103 Early Hints\r\n\r\n";
  const ok = `${OK}Content-Length: 5\r\n\r\nhello`;
  assert.equal(await bodyFrom(hint.repeat(200) + ok), "hello");
  await assert.rejects(bodyFrom(hint.repeat(300) + ok), /more than 200 informational responses/);
  const chunked = (trailers: number): string =>
    `${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n${"X: x\r\n".repeat(trailers)}\r\n`;
  assert.equal(await bodyFrom(chunked(200)), "hello");
  await assert.rejects(bodyFrom(chunked(300)), /a trailer of more than 200 lines/);
});

Deno.test("one connection carries all requests, as long as the server keeps it", async () => {
  const kept = `${OK}Content-Length: 5\r\n\r\nhello`;
  assert.equal(await connectionsFor(5, () => kept), 1);
  assert.equal(await connectionsFor(5, () => ({ bytes: kept, then: "close" })), 5);
  const closing = `${OK}Connection: close\r\nContent-Length: 5\r\n\r\nhello`;
  assert.equal(await connectionsFor(5, () => ({ bytes: closing, then: "hang" })), 5);
  assert.equal(await connectionsFor(6, (_, n) => n % 3 === 0 ? { bytes: kept, then: "close" } : kept), 2);
});

Deno.test("a request whose connection ends is sent again only when the connection was reused", async () => {
  const kept = `${OK}Content-Length: 5\r\n\r\nhello`;
  assert.equal(await connectionsFor(2, (_, n) => n === 2 ? { bytes: "", then: "close" } : kept), 2);
  await assert.rejects(bodyFrom({ bytes: "", then: "close" }), /closed the connection without a response/);
});

Deno.test("the client gives up a server that stalls, wherever it stalls", async () => {
  for (const bytes of ["", "HTTP/1.1 200", `${OK}Content-Length: 9\r\n\r\nhello`, `${OK}\r\nhello`]) {
    await using server = new FakeSource(() => ({ bytes, then: "hang" }));
    const limits = { connectSeconds: 5, stallSeconds: 0.1 };
    using client = new HttpClient({ ...server.address, tls: false }, limits, new AbortController().signal);
    await assert.rejects(client.request(REQUEST).then(bodyOf), /it sent nothing for 0\.1 s/, bytes);
  }
});

Deno.test("the client gives up a server that does not answer the TLS handshake", async () => {
  using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = silent.addr as Deno.NetAddr;
  const address = { transport: "tcp", hostname: "127.0.0.1", port, tls: true } as const;
  const limits = { connectSeconds: 0.1, stallSeconds: 0.1 };
  using client = new HttpClient(address, limits, new AbortController().signal);
  await assert.rejects(client.request(REQUEST), /(no connection within|it sent nothing for) 0\.1 s/);
});

Deno.test("a stop ends every wait at once, with its own reason", async () => {
  for (const bytes of ["", `${OK}Content-Length: 9\r\n\r\nhello`]) {
    await using server = new FakeSource(() => ({ bytes, then: "hang" }));
    const stop = new AbortController();
    using client = new HttpClient({ ...server.address, tls: false }, LIMITS, stop.signal);
    setTimeout(() => stop.abort(new Error("enough")), 50);
    await assert.rejects(client.request(REQUEST).then(bodyOf), /^Error: enough$/);
    await assert.rejects(client.request(REQUEST), /^Error: enough$/);
  }
});

Deno.test("a stop between two requests ends the next one, also on a reused connection", async () => {
  await using server = new FakeSource(() => `${OK}Content-Length: 5\r\n\r\nhello`);
  const stop = new AbortController();
  using client = new HttpClient({ ...server.address, tls: false }, LIMITS, stop.signal);
  assert.equal(await bodyOf(await client.request(REQUEST)), "hello");
  stop.abort(new Error("enough"));
  await assert.rejects(client.request(REQUEST), /^Error: enough$/);
  await assert.rejects(client.request(REQUEST), /^Error: enough$/);
});
