import { delay } from "../../../src/async/delay.ts";
import assert from "node:assert/strict";
import { NoReply } from "../../../src/model/errors.ts";
import type { Handler, Reply } from "../../../src/http/exchange.ts";
import { Connection } from "../../support/connection.ts";
import { eventually } from "../../support/eventually.ts";
import { seededRandom } from "../../support/test_seed.ts";
import { KINDS, listening } from "./support/listening.ts";
import { requestBytes, textBody, within } from "./support/requests.ts";

/** Answers with the target and the length of the body, as soon as `go` resolves. */
function echoOnce(go: Promise<void>): Handler {
  return async (request) => {
    const body = await request.body(1024 * 1024);
    await go;
    return textBody(200, `${request.target} ${body.length}`);
  };
}

const get = (target: string): Uint8Array => requestBytes("GET", target);

for (const kind of KINDS) {
  Deno.test(`requests sent ahead while one runs are answered in order and none is lost (${kind})`, async () => {
    const random = seededRandom(7);
    for (let round = 0; round < 20; round++) {
      const go = Promise.withResolvers<void>();
      await using server = listening(kind, echoOnce(go.promise));
      using connection = await Connection.open(server.address);
      const sizes = Array.from({ length: 1 + random(8) }, () => random(6000));
      for (const [i, size] of sizes.entries()) {
        const request = requestBytes("POST", `/${i}`, "x".repeat(size));
        const cut = random(request.length);
        await connection.send(request.subarray(0, cut));
        await connection.send(request.subarray(cut));
      }
      go.resolve();
      for (const [i, size] of sizes.entries()) {
        assert.equal((await connection.readReply("POST")).text, `/${i} ${size}`);
      }
    }
  });

  Deno.test(`a client that sends more than 64 KiB ahead is cut off (${kind})`, async () => {
    const left = Promise.withResolvers<void>();
    await using server = listening(kind, async (request) => {
      request.disconnected.addEventListener("abort", () => left.resolve());
      await left.promise;
      return textBody(200, "");
    });
    using connection = await Connection.open(server.address);
    await connection.send(get("/"));
    // The server may close the connection before the client has sent everything.
    await connection.send("G".repeat(200 * 1024)).catch(() => {});
    await within(3, left.promise, "the request ends");
    assert.ok(await connection.atEnd());
  });

  Deno.test(`a client that disconnects after requests sent ahead is noticed (${kind})`, async () => {
    for (const aheadBytes of [1, 100, 4000, 9000, 30_000, 60_000]) {
      const left = Promise.withResolvers<void>();
      let handled = 0;
      await using server = listening(kind, async (request) => {
        handled++;
        request.disconnected.addEventListener("abort", () => left.resolve());
        await left.promise;
        return textBody(200, "");
      });
      using connection = await Connection.open(server.address);
      await connection.send(get("/"));
      await eventually(() => assert.equal(handled, 1));
      await connection.send(requestBytes("POST", "/ahead", "x".repeat(aheadBytes)));
      await connection.closeWrite();
      await within(3, left.promise, `the client left behind ${aheadBytes} bytes`);
    }
  });

  Deno.test(`a stream whose client disconnects in the middle ends and cleans up (${kind})`, async () => {
    for (const how of ["close", "half-close"] as const) {
      const ended = Promise.withResolvers<void>();
      await using server = listening(kind, () => Promise.resolve(endlessReply(ended.resolve)));
      using connection = await Connection.open(server.address);
      await connection.send(get("/"));
      await connection.readHead();
      await connection.readSome(10);
      if (how === "close") connection.close();
      else await connection.closeWrite();
      await within(3, ended.promise, `the stream ends on ${how}`);
    }
  });
}

/** A reply without end, with a piece every 5 ms. Each piece is large enough to be written at once. */
function endlessReply(onEnd: () => void): Reply {
  async function* body(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    try {
      while (true) {
        yield new Uint8Array(70_000);
        await delay(5);
      }
    } finally {
      onEnd();
    }
  }
  return { status: 200, headers: {}, body: body() };
}

Deno.test("a request that must not be answered closes its connection without a byte", async () => {
  await using server = listening("tcp", () => Promise.reject(new NoReply()));
  using connection = await Connection.open(server.address);
  await connection.send(get("/"));
  assert.equal(await connection.readSome(1), undefined);
});

Deno.test("a stream that throws ends the connection without the last chunk", async () => {
  async function* broken(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    yield await Promise.resolve(new Uint8Array(70_000));
    throw new Error("broken");
  }
  await using server = listening(
    "tcp",
    () => Promise.resolve({ status: 200, headers: {}, body: broken() }),
  );
  using connection = await Connection.open(server.address);
  await connection.send(get("/"));
  const reply = await connection.readReply("GET");
  assert.deepEqual([reply.status, reply.body.length, reply.cutShort], [200, 70_000, true]);
});

Deno.test("a short body that was not read does not disturb the next request", async () => {
  await using server = listening("tcp", (request) => Promise.resolve(textBody(200, request.target)));
  using connection = await Connection.open(server.address);
  for (const size of [1, 100, 10_000, 64 * 1024]) {
    await connection.send(requestBytes("POST", `/${size}`, "x".repeat(size)));
    assert.equal((await connection.readReply("POST")).text, `/${size}`);
  }
  await connection.send(get("/next"));
  assert.equal((await connection.readReply("GET")).text, "/next");
});

Deno.test("a long body that was not read is given up: the reply arrives, then the connection ends", async () => {
  await using server = listening("tcp", (request) => Promise.resolve(textBody(200, request.target)));
  using connection = await Connection.open(server.address);
  const sending = connection.send(requestBytes("POST", "/long", "x".repeat(900 * 1024)));
  const reply = await connection.readReply("POST");
  assert.deepEqual([reply.text, reply.headers.get("connection")], ["/long", "close"]);
  assert.ok(await connection.atEnd());
  await sending;
});

Deno.test("a rejected client that keeps sending still gets its reply", async () => {
  await using server = listening("tcp", () => Promise.resolve(textBody(200, "")));
  using connection = await Connection.open(server.address);
  const sending = connection.send(`NO REQUEST AT ALL\r\n\r\n${"x".repeat(700 * 1024)}`);
  const reply = await connection.readReply("GET");
  assert.equal(reply.status, 400);
  assert.match(reply.headers.get("content-type")!, /^text\/plain/);
  assert.match(reply.text, /^[^\n]+\n?$/);
  assert.ok(await connection.atEnd());
  await sending;
  assert.deepEqual(server.malformed, [400]);
});

Deno.test("one connection carries a thousand requests", async () => {
  await using server = listening("tcp", echoOnce(Promise.resolve()));
  using connection = await Connection.open(server.address);
  for (let i = 0; i < 1000; i++) {
    await connection.send(requestBytes("POST", `/${i}`, "x".repeat(i)));
    assert.equal((await connection.readReply("POST")).text, `/${i} ${i}`);
  }
});
