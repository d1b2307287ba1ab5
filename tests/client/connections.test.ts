import assert from "node:assert/strict";
import { Connections } from "../../client/connections/mod.ts";
import { EventStore } from "../../client/mod.ts";
import { freePort } from "../support/free_port.ts";
import { PAGE, RawServer } from "./raw_server.ts";
import { lost } from "./support.ts";

/*
 * Connections that are kept. Here is what they promise in addition to every transport, which is in
 * transports.test.ts and broken_answers.test.ts.
 */

const END = '{"hasMore":false}\n';
const ANSWER = `${PAGE}content-length: ${END.length}\r\n\r\n${END}`;

/** Runs a test with a server that keeps connections, and a store that does not repeat anything. */
async function withStore(
  work: (store: EventStore, server: RawServer, connections: Connections) => Promise<void>,
): Promise<void> {
  const port = freePort();
  using server = new RawServer(Deno.listen({ hostname: "127.0.0.1", port }));
  [server.answer, server.closes] = [ANSWER, false];
  const connections = new Connections({ url: `http://127.0.0.1:${port}` });
  await work(new EventStore({ transport: connections, retrySeconds: 0 }), server, connections);
  connections.close();
}

Deno.test("requests one after the other share a connection, those at once do not", async () => {
  await withStore(async (store, server) => {
    for (let i = 0; i < 3; i++) await store.read("*");
    assert.equal(server.connections, 1);
    await Promise.all([1, 2, 3].map(() => store.read("*")));
    assert.equal(server.connections, 3);
  });
});

Deno.test("a long answer is complete, also when its connection was used before", async () => {
  await withStore(async (store, server) => {
    await store.read("*");
    const line = (sequence: number): string =>
      `{"sequence":${sequence},"time":"","type":"t","identifiers":{},"metadata":{},"payload":"\\"${
        "\u00fc".repeat(1000)
      }\\""}\n`;
    const lines = Array.from({ length: 1000 }, (_, i) => line(i + 1));
    const chunks = lines.map((text) =>
      `${new TextEncoder().encode(text).length.toString(16)}\r\n${text}\r\n`
    );
    const last = `${END.length.toString(16)}\r\n${END}\r\n0\r\n\r\n`;
    server.answer = `${PAGE}transfer-encoding: chunked\r\n\r\n${chunks.join("")}${last}`;
    for (let i = 0; i < 2; i++) {
      const { events } = await store.read("*");
      assert.deepEqual([events.length, events.at(-1)!.payload], [1000, "\u00fc".repeat(1000)]);
    }
    assert.equal(server.connections, 1);
  });
});

for (
  const [why, answer] of [
    ["has bytes behind its answer", `${ANSWER}HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n`],
    ["ends with its answer", ANSWER.replace("\r\n", "\r\nconnection: close\r\n")],
  ] as const
) {
  Deno.test(`a connection that ${why} is not used again`, async () => {
    await withStore(async (store, server) => {
      server.answer = answer;
      for (let i = 1; i <= 3; i++) {
        await store.read("*");
        assert.equal(server.connections, i);
      }
    });
  });
}

Deno.test("a connection whose end is that of its answer is not used again", async () => {
  await withStore(async (store, server) => {
    [server.answer, server.closes] = [`${PAGE}\r\n${END}`, true];
    for (let i = 1; i <= 3; i++) {
      await store.read("*");
      assert.deepEqual([server.connections, server.requests.length], [i, i]);
    }
  });
});

Deno.test("a connection is not used again when it was idle for long, or after close", async (test) => {
  const { now } = performance;
  await test.step("idle", () =>
    withStore(async (store, server) => {
      await store.read("*");
      performance.now = () => now.call(performance) + 3900;
      await store.read("*");
      assert.equal(server.connections, 1);
      performance.now = () => now.call(performance) + 8000;
      await store.read("*");
      assert.equal(server.connections, 2);
    }));
  performance.now = now;
  await test.step("closed", () =>
    withStore(async (store, server, connections) => {
      const reading = store.read("*");
      connections.close();
      await reading;
      await store.read("*");
      assert.equal(server.connections, 2);
    }));
});

Deno.test("a read is sent again when the server has just closed the connection", async () => {
  await withStore(async (store, server) => {
    server.closes = true;
    for (let i = 1; i <= 5; i++) {
      await store.read("*");
      assert.equal(server.connections, i);
    }
  });
});

Deno.test("a write or a delete is sent once, also when its connection closes without an answer", async () => {
  await withStore(async (store, server) => {
    for (const send of [() => store.append({ type: "t", payload: 1 }), () => store.projections.deleteAll()]) {
      [server.answer, server.closes] = [ANSWER, false];
      await store.read("*");
      const before = server.requests.length;
      [server.answer, server.closes] = ["", true];
      assert.ok((await lost(send())).outcomeUnknown);
      assert.equal(server.requests.length, before + 1);
    }
  });
});

Deno.test("a value that no head can have is not sent", async () => {
  await withStore(async (_, server, transport) => {
    const store = new EventStore({ transport, token: "a\r\nx-service-store: b", retrySeconds: 0 });
    assert.match((await lost(store.read("*"))).message, /header authorization/);
    assert.deepEqual(server.requests, []);
  });
});

Deno.test("a place that is no http:// URL is rejected at once", () => {
  for (
    const url of [undefined, "", "localhost:8085", "https://127.0.0.1", "http://a:b@127.0.0.1", "/events"]
  ) {
    assert.throws(
      () => new Connections(url === undefined ? {} : { url }),
      /must be like http:\/\/127.0.0.1:8085/,
    );
  }
});
