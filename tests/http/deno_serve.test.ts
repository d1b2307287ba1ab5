import assert from "node:assert/strict";
import { join } from "node:path";
import { type Listen, serveWithDeno } from "../../src/http/deno_serve.ts";
import { BodyTooLarge, type Handler, type HttpRequest, type Reply } from "../../src/http/exchange.ts";
import { textReply } from "../../src/http/replies.ts";
import { ClientLeft, OutcomeUnknown } from "../../src/model/errors.ts";
import { Client } from "../support/client.ts";
import { type Address, Connection, NoReply } from "../support/connection.ts";
import { eventually, pause } from "../support/eventually.ts";

type Transport = "tcp" | "unix";

interface Serving {
  readonly client: Client;
  readonly address: Address;
  close(graceMilliseconds: number): Promise<void>;
}

/** Serves a handler in this process for as long as `run` takes. */
async function serving(
  kind: Transport,
  handler: Handler,
  run: (serving: Serving) => Promise<void>,
): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "eventstore_test_" });
  const listen = await listenOn(kind, directory);
  const transport = serveWithDeno(listen, handler);
  let closed = false;
  const close = async (graceMilliseconds: number): Promise<void> => {
    closed = true;
    await transport.close(graceMilliseconds);
  };
  try {
    await run({ client: new Client(listen), address: listen, close });
  } finally {
    if (!closed) await transport.close(5000);
    await Deno.remove(directory, { recursive: true });
  }
}

function listenOn(kind: Transport, directory: string): Listen {
  if (kind === "unix") return { transport: "unix", path: join(directory, "server.sock") };
  using probe = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return { transport: "tcp", hostname: "127.0.0.1", port: probe.addr.port };
}

/** Answers with the length of the body, `413` over 1,000 bytes. */
async function bodyLength(request: HttpRequest): Promise<Reply> {
  try {
    return textReply(200, String((await request.body(1000)).length));
  } catch (error) {
    if (error instanceof BodyTooLarge) return textReply(413, "too large");
    throw error;
  }
}

for (const kind of ["tcp", "unix"] as const) {
  Deno.test(`${kind}: the target arrives exactly as it was sent`, async () => {
    const echo = (request: HttpRequest): Promise<Reply> =>
      Promise.resolve(textReply(200, `${request.method} ${request.target}`));
    await serving(kind, echo, async ({ client, address }) => {
      const targets = [
        "/",
        "//a",
        "/a/../b/.",
        "/%2e%2e/%2F",
        "/a?b=/c#d",
        "/a\\b",
        "/%zz%00",
        "/a;b|c",
        "/a/%7E~",
      ];
      for (const target of targets) {
        assert.equal((await client.request("QUERY", target)).text, `QUERY ${target}\n`);
      }
      const heads: readonly [head: string, expected: string][] = [
        ["GET /a HTTP/1.1\r\nhost:\r\n", "GET /a"],
        ["GET /a/../b HTTP/1.1\r\n", "GET /a/../b"],
        ["GET /a HTTP/1.1\r\nhost: /a\r\n", "GET /a"],
        ["GET http://elsewhere:1/a/../b HTTP/1.1\r\nhost: localhost\r\n", "GET /a/../b"],
      ];
      for (const [head, expected] of heads) {
        using connection = await Connection.open(address);
        await connection.send(`${head}connection: close\r\n\r\n`);
        assert.equal((await connection.readReply("GET")).text, `${expected}\n`, head);
      }
    });
  });

  Deno.test(`${kind}: a body is read up to the cap, in one piece or in chunks, and not beyond it`, async () => {
    await serving(kind, bodyLength, async ({ client }) => {
      for (const chunkBytes of [0, 1, 7, 999, 5000]) {
        for (
          const [bytes, status, text] of [[0, 200, "0"], [1000, 200, "1000"], [
            1001,
            413,
            "too large",
          ]] as const
        ) {
          const reply = await client.request("POST", "/", { body: "x".repeat(bytes), chunkBytes });
          assert.deepEqual([reply.status, reply.text], [status, `${text}\n`], `${bytes} by ${chunkBytes}`);
        }
      }
      assert.equal((await client.request("POST", "/")).text, "0\n");
    });
  });

  Deno.test(`${kind}: an announced body over the cap is refused before it is sent, an endless one once it is over`, async () => {
    await serving(kind, bodyLength, async ({ address }) => {
      using announced = await Connection.open(address);
      await announced.send("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000000\r\n\r\n");
      assert.equal((await announced.readReply("POST")).status, 413);
      using endless = await Connection.open(address);
      await endless.send("POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n");
      const chunk = `1f4\r\n${"x".repeat(500)}\r\n`;
      await endless.send(chunk + chunk + chunk);
      assert.equal((await endless.readReply("POST")).status, 413);
    });
  });

  Deno.test(`${kind}: a client that leaves before the reply is seen, when its body came with the head`, async () => {
    let left = false;
    const handler: Handler = async (request) => {
      await request.body(1000);
      await new Promise<void>((resolve) => request.left.addEventListener("abort", () => resolve()));
      left = true;
      throw new ClientLeft();
    };
    await serving(kind, handler, async ({ client }) => {
      const connection = await client.begin("POST", "/", { body: "body" });
      await pause(20);
      connection.close();
      await eventually(() => assert.equal(left, true));
    });
  });

  Deno.test(`${kind}: a reply that was read completely is no client that left`, async () => {
    let aborted = 0;
    const handler: Handler = async (request) => {
      request.left.addEventListener("abort", () => aborted++);
      await request.body(1000);
      return textReply(200, "fine");
    };
    await serving(kind, handler, async ({ client }) => {
      for (let i = 0; i < 5; i++) await client.request("POST", "/", { body: "body" });
      await pause(50);
      assert.equal(aborted, 0);
    });
  });

  Deno.test(`${kind}: a stream goes out in order and whole, empty pieces and large ones alike`, async () => {
    const large = new TextEncoder().encode("0123456789".repeat(50_000));
    async function* pieces(): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
      yield new Uint8Array();
      yield large;
      await pause(1);
      yield new TextEncoder().encode("end");
    }
    const handler = (): Promise<Reply> => Promise.resolve({ status: 200, headers: {}, body: pieces() });
    await serving(kind, handler, async ({ client }) => {
      const reply = await client.request("GET", "/");
      assert.equal(reply.cutShort, false);
      assert.equal(reply.text, `${"0123456789".repeat(50_000)}end`);
    });
  });

  Deno.test(`${kind}: a slow reader holds the stream up, so that the server does not buffer it`, async () => {
    let handedOut = 0;
    let ended = false;
    async function* endless(): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
      try {
        for (;;) {
          handedOut += 100_000;
          yield new Uint8Array(100_000);
        }
      } finally {
        ended = true;
      }
    }
    const handler = (): Promise<Reply> => Promise.resolve({ status: 200, headers: {}, body: endless() });
    await serving(kind, handler, async ({ client }) => {
      const connection = await client.begin("GET", "/");
      await connection.readSome(1000);
      let before = -1;
      // Sockets take some megabytes; then nothing more is fetched.
      await eventually(async () => {
        before = handedOut;
        await pause(100);
        assert.equal(handedOut, before);
      });
      assert.ok(handedOut < 20_000_000, `${handedOut} bytes were fetched for a reader that stands still`);
      for (let i = 0; i < 200; i++) await connection.readSome(65536);
      await eventually(() => assert.ok(handedOut > before, "the stream goes on when the reader does"));
      connection.close();
      await eventually(() => assert.ok(ended, "the stream is given up when the reader has gone"));
    });
  });

  Deno.test(`${kind}: a stream is cleaned up also when the client has gone before its first piece`, async () => {
    const running = new Set<number>();
    let served = 0;
    async function* page(id: number): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
      running.add(id);
      try {
        await pause(5);
        yield new Uint8Array(100);
        await pause(5);
        yield new Uint8Array(100);
      } finally {
        running.delete(id);
      }
    }
    const handler: Handler = async (request) => {
      await request.body(1000);
      return { status: 200, headers: {}, body: page(++served) };
    };
    await serving(kind, handler, async ({ client }) => {
      for (let i = 0; i < 40; i++) {
        const connection = await client.begin("POST", "/", { body: "x" });
        if (i % 2 === 0) await pause(i % 8);
        connection.close();
      }
      await eventually(() => {
        assert.ok(served > 0);
        assert.deepEqual([...running], []);
      });
    });
  });

  Deno.test(`${kind}: a stream that fails ends the connection in the middle of the reply`, async () => {
    async function* failing(): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
      yield new TextEncoder().encode("first line\n");
      await pause(20);
      throw new Error("the store was reset");
    }
    const handler = (): Promise<Reply> => Promise.resolve({ status: 200, headers: {}, body: failing() });
    await serving(kind, handler, async ({ client }) => {
      const reply = await client.request("GET", "/");
      assert.equal(reply.cutShort, true);
      assert.equal(reply.text, "first line\n");
    });
  });

  Deno.test(`${kind}: a request that must not be answered gets no complete answer, and the next one does`, async () => {
    const handler: Handler = (request) =>
      request.target === "/fine"
        ? Promise.resolve(textReply(200, "fine"))
        : Promise.reject(new OutcomeUnknown("the COMMIT failed"));
    await serving(kind, handler, async ({ client }) => {
      try {
        const reply = await client.request("POST", "/", { body: "x" });
        assert.equal(reply.cutShort, true, `${reply.status} ${reply.text}`);
        assert.equal(reply.text, "");
        assert.ok(reply.status >= 500);
      } catch (error) {
        assert.ok(error instanceof NoReply);
      }
      assert.equal((await client.request("GET", "/fine")).text, "fine\n");
    });
  });

  Deno.test(`${kind}: a body that breaks off is a client that left`, async () => {
    const errors: unknown[] = [];
    const handler: Handler = async (request) => {
      try {
        return textReply(200, String((await request.body(1000)).length));
      } catch (error) {
        errors.push(error);
        throw error;
      }
    };
    await serving(kind, handler, async ({ address }) => {
      for (const framing of ["content-length: 100", "transfer-encoding: chunked"]) {
        const connection = await Connection.open(address);
        await connection.send(`POST / HTTP/1.1\r\nhost: x\r\n${framing}\r\n\r\n5\r\nab`);
        await pause(20);
        connection.close();
      }
      await eventually(() => assert.equal(errors.length, 2));
      for (const error of errors) assert.ok(error instanceof ClientLeft, String(error));
    });
  });

  Deno.test(`${kind}: closing lets what runs finish, and takes no new connection`, async () => {
    const release = Promise.withResolvers<void>();
    const handler: Handler = async () => (await release.promise, textReply(200, "finished"));
    await serving(kind, handler, async ({ client, close }) => {
      const running = client.request("GET", "/");
      await pause(50);
      let closed = false;
      const closing = close(5000).then(() => closed = true);
      await pause(50);
      assert.equal(closed, false);
      await assert.rejects(client.request("GET", "/"));
      release.resolve();
      assert.equal((await running).text, "finished\n");
      await closing;
    });
  });

  Deno.test(`${kind}: closing waits for what still runs until the grace is over, no longer`, async () => {
    const release = Promise.withResolvers<void>();
    const handler: Handler = async () => (await release.promise, textReply(200, "late"));
    await serving(kind, handler, async ({ client, close }) => {
      using running = await client.begin("GET", "/");
      await pause(50);
      const started = performance.now();
      await close(300);
      const milliseconds = performance.now() - started;
      assert.ok(milliseconds >= 250 && milliseconds < 2000, `${milliseconds} ms`);
      // Nothing of it is thrown later on.
      await pause(50);
      running.close();
      release.resolve();
      await pause(50);
    });
  });
}
