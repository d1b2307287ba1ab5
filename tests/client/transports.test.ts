import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { EventStore, type Transport } from "../../client/mod.ts";
import { pause } from "../support/eventually.ts";
import { ScriptedTransport } from "./faulty_transport.ts";
import { onRawServers, PAGE } from "./raw_server.ts";
import { lost, note, storeOver } from "./support.ts";

Deno.test("an invalid url is rejected at once", () => {
  for (
    const url of [
      "",
      "localhost:8085",
      "127.0.0.1:8085",
      "ftp://127.0.0.1",
      "unix:/run/eventstore.sock",
      "http://",
    ]
  ) {
    assert.throws(() => new EventStore({ url }), {
      name: "TypeError",
      message: `without socketPath, url must be like http://127.0.0.1:8085, not "${url}"`,
    });
  }
  for (const url of ["http://127.0.0.1:8085", "HTTPS://example.com/events/", "/events"]) {
    new EventStore({ url });
  }
});

Deno.test("an answer that does not come, or stops, has a time limit", async () => {
  await onRawServers(async (server, place) => {
    const store = new EventStore({ ...place, answerSeconds: 0.1, retrySeconds: 0 });
    server.closes = false;
    for (
      const answer of ["", `${PAGE}content-length: 100\r\n\r\n{`, `${PAGE}transfer-encoding: chunked\r\n\r\n`]
    ) {
      server.answer = answer;
      assert.equal((await lost(store.read("*"))).code, "Timeout", answer);
    }
    const connections = server.connections;
    const error = await lost(store.append(note("1")));
    assert.deepEqual([error.code, error.outcomeUnknown], ["Timeout", true]);
    assert.equal(server.connections, connections + 1);
  });
});

Deno.test("a write is sent once, also when the connection that it reuses closes without an answer", async () => {
  await onRawServers(async (server, place) => {
    const store = new EventStore({ ...place, retrySeconds: 0 });
    [server.answer, server.closes] = [`${PAGE}content-length: 18\r\n\r\n{"hasMore":false}\n`, false];
    await store.read("*");
    [server.answer, server.closes] = ["", true];
    server.requests.length = 0;
    const error = await lost(store.append(note("1")));
    assert.equal(error.outcomeUnknown, true);
    assert.deepEqual(server.requests, ["POST /write HTTP/1.1"]);
  });
});

Deno.test("a time limit may be longer than any timer", async () => {
  const headers = { "x-service-store": "s", "x-service-head": "7" };
  const quick = new ScriptedTransport({ status: 200, body: '{"hasMore":false}\n', headers });
  const transport: Transport = {
    async send(request) {
      await pause(20);
      return await quick.send(request);
    },
  };
  const store = storeOver(transport, { answerSeconds: Infinity, retrySeconds: 0 });
  assert.equal((await store.head()).sequence, 7);
});

Deno.test("the time in which the reader does something else does not count", async () => {
  const line = (sequence: number): string =>
    `{"sequence":${sequence},"time":"","type":"t","identifiers":{},"metadata":{},"payload":"1"}\n`;
  const lines = [line(1), line(2), '{"hasMore":false}\n'].map((text) => new TextEncoder().encode(text));
  const transport: Transport = {
    send: () =>
      Promise.resolve({
        status: 200,
        header: (name) => name === "content-length" ? undefined : "1",
        text: () => Promise.reject(new Error("the body is read in pieces")),
        pieces: () => ReadableStream.from(lines),
      }),
  };
  const read: number[] = [];
  for await (
    const { sequence } of storeOver(transport, { answerSeconds: 0.1, retrySeconds: 0 }).readAll("*")
  ) {
    read.push(sequence);
    await pause(200);
  }
  assert.deepEqual(read, [1, 2]);
});

Deno.test("bytes of an answer that were read are not held in memory while the rest is read", async () => {
  const encoder = new TextEncoder();
  const pieces: WeakRef<Uint8Array>[] = [];
  const piece = (sequence: number): Uint8Array => {
    const event = { sequence, time: "", type: "t", identifiers: {}, metadata: {}, payload: "1" };
    const bytes = encoder.encode(`${JSON.stringify(event)}\n`);
    pieces.push(new WeakRef(bytes));
    return bytes;
  };
  const transport: Transport = {
    send: () =>
      Promise.resolve({
        status: 200,
        header: (name) => name === "content-length" ? undefined : "100",
        text: () => Promise.reject(new Error("the body is read in pieces")),
        async *pieces() {
          for (let sequence = 1; sequence <= 100; sequence++) yield piece(sequence);
          yield encoder.encode('{"hasMore":false}\n');
        },
      }),
  };
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  for await (const { sequence } of storeOver(transport).readAll("*")) {
    if (sequence < 100) continue;
    await pause(0);
    collectGarbage();
    const kept = pieces.filter((piece) => piece.deref() !== undefined).length;
    assert.ok(kept < 10, `${kept} of ${pieces.length} pieces are kept`);
  }
});

Deno.test("the token is sent, and the path of a proxy stays in the URL", async () => {
  const requests: string[] = [];
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    requests.push(
      `${request.method} ${new URL(request.url).pathname} ${request.headers.get("authorization")}`,
    );
    return new Response('{"hasMore":false}\n', {
      headers: { "x-service-store": "s", "x-service-head": "0" },
    });
  });
  const url = `http://127.0.0.1:${server.addr.port}/events-service/`;
  await new EventStore({ url, token: "secret" }).head();
  await new EventStore({ url }).head();
  assert.deepEqual(requests, [
    "QUERY /events-service/events Bearer secret",
    "QUERY /events-service/events null",
  ]);
});
