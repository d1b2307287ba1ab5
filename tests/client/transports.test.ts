import assert from "node:assert/strict";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { ConnectionLost, EventStore, type EventStoreOptions, type Transport } from "../../client/mod.ts";
import { inDirectory } from "../support/directory.ts";
import { freePort } from "../support/free_port.ts";
import { pause } from "../support/eventually.ts";
import { ScriptedTransport } from "./faulty_transport.ts";
import { note, storeOver } from "./support.ts";

const PAGE = "HTTP/1.1 200 OK\r\nx-service-store: s\r\nx-service-head: 1\r\n";

/** A server that answers every request with these bytes. */
class RawServer implements Disposable {
  answer = "";
  /** True when the server closes the connection after the answer. */
  closes = true;
  connections = 0;
  readonly #listener: Deno.Listener;
  readonly #open = new Set<Deno.Conn>();

  constructor(listener: Deno.Listener) {
    this.#listener = listener;
    this.#accept();
  }

  [Symbol.dispose](): void {
    this.#listener.close();
    for (const connection of this.#open) connection.close();
  }

  async #accept(): Promise<void> {
    for await (const connection of this.#listener) {
      this.connections++;
      this.#open.add(connection);
      await readRequest(connection);
      // A client that no longer waits has disconnected, so writing may fail.
      await connection.write(new TextEncoder().encode(this.answer)).catch(() => {});
      if (!this.closes) continue;
      this.#open.delete(connection);
      connection.close();
    }
  }
}

/** Reads the whole request: closing a connection with unread bytes would reset it, and the answer would be lost. */
async function readRequest(connection: Deno.Conn): Promise<void> {
  const buffer = new Uint8Array(10_000);
  for (let text = ""; !isWhole(text);) {
    const count = await connection.read(buffer);
    if (count === null) return;
    text += new TextDecoder().decode(buffer.subarray(0, count));
  }
}

function isWhole(text: string): boolean {
  const [head = "", body] = text.split("\r\n\r\n");
  return body !== undefined && body.length >= Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
}

async function onRawServers(
  work: (server: RawServer, place: EventStoreOptions) => Promise<void>,
): Promise<void> {
  const port = freePort();
  using tcp = new RawServer(Deno.listen({ hostname: "127.0.0.1", port }));
  await work(tcp, { url: `http://127.0.0.1:${port}/` });
  await inDirectory(async (directory) => {
    const path = join(directory, "raw.sock");
    using unix = new RawServer(Deno.listen({ transport: "unix", path }));
    await work(unix, { socketPath: path });
  });
}

async function lost(work: Promise<unknown>): Promise<ConnectionLost> {
  const error = await work.then((value) => value, (error) => error);
  assert.ok(error instanceof ConnectionLost, String(error));
  return error;
}

Deno.test("an answer that breaks off, or is none, is a lost connection", async () => {
  await onRawServers(async (server, place) => {
    const store = new EventStore({ ...place, retrySeconds: 0 });
    for (
      const [answer, code] of [
        ["", "ConnectionLost"],
        ["nonsense\r\n\r\n", "ConnectionLost"],
        [`${PAGE}content-length: 100\r\n\r\n{"hasMore":`, "ConnectionLost"],
        [`${PAGE}transfer-encoding: chunked\r\n\r\n5\r\n{"has`, "ConnectionLost"],
        [`${PAGE}content-length: 0\r\n\r\n`, "BadAnswer"],
        [`${PAGE}transfer-encoding: chunked\r\n\r\n0\r\n\r\n`, "BadAnswer"],
        ['HTTP/1.1 200 OK\r\ncontent-length: 16\r\n\r\n{"hasMore":false', "BadAnswer"],
      ] as const
    ) {
      server.answer = answer;
      const error = await lost(store.read("*"));
      assert.deepEqual([error.code, error.outcomeUnknown], [code, false], answer);
    }
    server.answer = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{";
    assert.equal((await lost(store.append(note("1")))).outcomeUnknown, true);
  });
});

/** Calls whose answers carry no header that only this server sends. */
const UNNAMED = ["projections", "a transaction of B", "a ticket"];

Deno.test("an answer that cannot come from this server is a lost connection", async () => {
  const page = (status: string, body: string): string =>
    `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  await onRawServers(async (server, place) => {
    const options = { ...place, retrySeconds: 0 };
    const [a, b, c] = (["A", "B", "C"] as const).map((edition) => new EventStore({ ...options, edition }));
    const calls: [what: string, isOutcomeUnknown: boolean, call: () => Promise<unknown>][] = [
      ["a read", false, () => a!.head()],
      ["a projection", false, () => a!.projections.get("course", "c1")],
      ["a write", true, () => a!.append(note("1"))],
      ["projections", true, () => c!.projections.write({})],
      ["a deletion", true, () => a!.projections.deleteAll()],
      ["a transaction of B", false, () => b!.transaction(() => Promise.resolve(), { attempts: 1 })],
      ["a ticket", false, () => c!.transaction(() => Promise.resolve(), { attempts: 1 })],
    ];
    for (const status of ["200 OK", "203 Non-Authoritative Information"]) {
      for (const body of ["<html>Who are you?</html>\n", '{"error":"Who"}\n', "1\n", "null\n"]) {
        server.answer = page(status, body);
        for (const [what, isOutcomeUnknown, call] of calls) {
          // Any JSON object may be an answer with versions or with a ticket.
          if (status === "200 OK" && body.startsWith("{") && UNNAMED.includes(what)) continue;
          const { outcomeUnknown } = await lost(call());
          assert.equal(outcomeUnknown, isOutcomeUnknown, `${what}, ${body}`);
        }
      }
    }
  });
});

Deno.test("after a confirmation that cannot come from this server, the outcome of a commit is unknown", async () => {
  for (
    const [edition, begun] of [["B", '{"txId":"1"}'], ["C", '{"ticket":"1"}']] as const
  ) {
    const transport = new ScriptedTransport({ status: 200, body: begun }, { status: 200, body: "Welcome!" });
    const store = storeOver(transport, { edition, retrySeconds: 0 });
    const { outcomeUnknown } = await lost(store.transaction(() => Promise.resolve()));
    assert.equal(outcomeUnknown, true);
    const begins = transport.requests.filter(({ path }) => ["/tx", "/begin"].includes(path));
    assert.equal(begins.length, 1, "the transaction runs once");
  }
});

Deno.test("a page in a transaction without its last line is not taken for a whole one", async () => {
  const event = JSON.stringify({ sequence: 1, type: "t", identifiers: {}, metadata: {}, payload: "1" });
  for (
    const [edition, begun] of [["B", '{"txId":"1"}'], ["C", '{"ticket":"1"}']] as const
  ) {
    for (const body of ["", `${event}\n`, `${event}\n{"end":tr`, `${event}\n{"hasMore":fal`]) {
      const transport = new ScriptedTransport({ status: 200, body: begun }, { status: 200, body });
      const store = storeOver(transport, { edition, retrySeconds: 0 });
      const { message } = await lost(store.transaction((tx) => tx.read("*"), { attempts: 1 }));
      assert.equal(message, "half a page", `${edition}, ${body}`);
    }
  }
});

Deno.test("a redirect is rejected and not followed", async () => {
  for (const status of ["301 Moved", "302 Found", "303 See Other", "307 Again", "308 Moved"]) {
    await onRawServers(async (server, place) => {
      server.answer =
        `HTTP/1.1 ${status}\r\nlocation: https://example.com/login\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`;
      const store = new EventStore(place);
      const code = `HTTP${status.slice(0, 3)}`;
      const message = "a redirect to https://example.com/login";
      await assert.rejects(store.append(note("1")), { name: "Refused", code, message });
      await assert.rejects(store.head(), { name: "Refused", code, message });
      assert.equal(server.connections, 2);
    });
  }
});

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
