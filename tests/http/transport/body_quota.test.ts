import assert from "node:assert/strict";
import { BodyQuotaExceeded, BodyTooLarge } from "../../../src/http/exchange.ts";
import type { Timeouts } from "../../../src/http/transport/timeouts.ts";
import { Connection } from "../../support/connection.ts";
import { eventually, pause } from "../../support/eventually.ts";
import { type Listening, listening } from "./support/listening.ts";
import { requestBytes, textBody, within } from "./support/requests.ts";

const MIB = 1024 * 1024;
const BYTES_MAX = 40 * MIB;

/** Answers with the length of the body; `/drop` drops it. `/hold` and `/drop` answer once `release` is called. */
function start(timeouts: Partial<Timeouts> = {}): Server {
  const released = Promise.withResolvers<void>();
  let dropped = 0;
  const server = listening("tcp", async (request) => {
    try {
      if (request.target === "/drop") {
        await request.discardBody(BYTES_MAX);
        dropped++;
        await released.promise;
        return textBody(200, "dropped");
      }
      const { length } = await request.body(BYTES_MAX);
      if (request.target === "/hold") await released.promise;
      return textBody(200, String(length));
    } catch (error) {
      if (error instanceof BodyQuotaExceeded) return textBody(503, "no room");
      if (error instanceof BodyTooLarge) return textBody(413, "too large");
      throw error;
    }
  }, { timeouts: { bodyMemory: 20, contendedBody: 20, ...timeouts } });
  return Object.assign(server, { release: released.resolve, dropped: () => dropped });
}

interface Server extends Listening {
  readonly release: () => void;
  /** The number of dropped bodies. */
  readonly dropped: () => number;
}

const CHUNKED_HEAD = "POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n";

async function sendChunks(connection: Connection, bytes: number, chunkBytes: number): Promise<void> {
  for (let left = bytes; left > 0; left -= chunkBytes) {
    const size = Math.min(left, chunkBytes);
    await connection.send(`${size.toString(16)}\r\n${"x".repeat(size)}\r\n`);
  }
}

/** Sends a body in chunks and reads the reply. */
async function exchangeChunks(connection: Connection, bytes: number, chunkBytes = bytes): Promise<string> {
  await connection.send(CHUNKED_HEAD);
  const sending = sendChunks(connection, bytes, chunkBytes).then(() => connection.send("0\r\n\r\n"));
  const { text } = await connection.readReply("POST");
  await sending.catch(() => {});
  return text;
}

/** Opens a client whose body takes nearly all of the quota for large bodies, and stops after 2 MiB. */
async function hog({ address }: Server): Promise<Connection> {
  const connection = await Connection.open(address);
  await connection.send(requestBytes("POST", "/", new Uint8Array(BYTES_MAX)).subarray(0, 2 * MIB));
  return connection;
}

Deno.test("a body that is dropped takes no quota, while it comes and afterwards", async () => {
  await using server = start();
  using first = await Connection.open(server.address);
  using second = await Connection.open(server.address);
  const body = requestBytes("POST", "/drop", new Uint8Array(BYTES_MAX));
  await first.send(body);
  await second.send("POST /drop HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n");
  await sendChunks(second, BYTES_MAX, 3 * MIB);
  await second.send("0\r\n\r\n");
  await eventually(() => assert.equal(server.dropped(), 2));
  using other = await Connection.open(server.address);
  assert.equal(await within(10, exchangeChunks(other, 2 * MIB), "room is free"), String(2 * MIB));
  server.release();
  for (const connection of [first, second]) {
    assert.equal((await connection.readReply("POST")).text, "dropped");
    assert.equal(await exchangeChunks(connection, 5), "5", "the connection can be used again");
  }
});

Deno.test("a body that is dropped may be as long as any other, and no longer", async () => {
  await using server = start();
  for (const framing of [`content-length: ${BYTES_MAX + 1}`, "transfer-encoding: chunked"]) {
    using connection = await Connection.open(server.address);
    await connection.send(
      `POST /drop HTTP/1.1\r\nhost: a\r\n${framing}\r\n\r\n${(BYTES_MAX + 1).toString(16)}\r\n`,
    );
    assert.equal((await connection.readReply("POST")).status, 413);
  }
});

Deno.test("a body that is dropped must come as fast as any other", async () => {
  await using server = start({ stalledBody: 1 });
  using connection = await Connection.open(server.address);
  await connection.send(requestBytes("POST", "/drop", "x".repeat(10_000)).subarray(0, -1));
  assert.ok(await within(5, connection.atEnd(), "the connection is closed"));
});

Deno.test("a client that disconnects after its body was dropped is noticed", async () => {
  const noticed = Promise.withResolvers<void>();
  await using server = listening("tcp", async (request) => {
    await request.discardBody(BYTES_MAX);
    request.disconnected.addEventListener("abort", () => noticed.resolve());
    await noticed.promise;
    return textBody(200, "");
  });
  using connection = await Connection.open(server.address);
  await connection.send(requestBytes("POST", "/", new Uint8Array(MIB)));
  await pause(50);
  connection.close();
  await within(5, noticed.promise, "it has left");
});

Deno.test("a chunked body of up to 1 MiB never waits for large ones", async () => {
  await using server = start();
  using _hog = await hog(server);
  using connection = await Connection.open(server.address);
  for (const bytes of [20_000, MIB]) {
    const text = await within(10, exchangeChunks(connection, bytes, 7000), "it is read");
    assert.equal(text, String(bytes));
  }
});

Deno.test("a chunked body that turns out to be large waits for the quota of large ones", async () => {
  await using server = start({ contendedBody: 1 });
  using slow = await hog(server);
  using connection = await Connection.open(server.address);
  const text = exchangeChunks(connection, 3 * MIB, 70_000);
  assert.ok(await within(10, slow.atEnd(), "the slow one is given up"));
  assert.equal(await within(10, text, "it is read"), String(3 * MIB));
  using next = await Connection.open(server.address);
  assert.equal(await within(10, exchangeChunks(next, BYTES_MAX, MIB), "nothing is held"), String(BYTES_MAX));
});

Deno.test("a body that got quota of the large ones holds no quota of the small ones", async () => {
  await using server = start();
  using connection = await Connection.open(server.address);
  for (let i = 0; i < 32; i++) await exchangeChunks(connection, MIB + 1);
  assert.equal(await within(10, exchangeChunks(connection, 20_000), "room is free"), "20000");
});

Deno.test("bodies that wait for more quota hold up no smaller body: one gets 503 instead of being closed", async () => {
  await using server = start({ contendedBody: 1 });
  // The client is not too slow: its whole body has been received.
  using holder = await Connection.open(server.address);
  await holder.send(requestBytes("POST", "/hold", new Uint8Array(BYTES_MAX)));
  const waiting = await Promise.all(Array.from({ length: 32 }, async () => {
    const connection = await Connection.open(server.address);
    await connection.send(CHUNKED_HEAD);
    const sending = sendChunks(connection, MIB + 1, MIB + 1);
    return { connection, sending };
  }));
  await Promise.all(waiting.map(({ sending }) => sending));
  await pause(200);
  using small = await Connection.open(server.address);
  const smallText = within(10, exchangeChunks(small, 20_000), "it is read");
  const replies = waiting.map(({ connection }) => connection.readReply("POST"));
  assert.deepEqual([(await Promise.race(replies)).status, await smallText], [503, "20000"]);
  server.release();
  for (const { connection } of waiting) connection.close();
  await Promise.allSettled(replies);
});
