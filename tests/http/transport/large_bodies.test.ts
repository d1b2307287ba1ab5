import assert from "node:assert/strict";
import { BodyQuotaExceeded } from "../../../src/http/exchange.ts";
import { ClientDisconnected } from "../../../src/model/errors.ts";
import { Connection } from "../../support/connection.ts";
import { eventually, pause } from "../../support/eventually.ts";
import { type Kind, KINDS, type Listening, listening } from "./support/listening.ts";
import { requestBytes, textBody, within } from "./support/requests.ts";

const MIB = 1024 * 1024;
const LARGE = new Uint8Array(40 * MIB);

/** Answers with the length of the body, or that the quota is used up. Notes how each request ended. */
function start(kind: Kind, timeouts: { bodyMemory?: number; contendedBody?: number } = {}): Server {
  const ends: string[] = [];
  const server = listening(kind, async (request) => {
    try {
      const { length } = await request.body(64 * MIB);
      ends.push("read");
      return textBody(200, String(length));
    } catch (error) {
      ends.push((error as Error).name);
      if (error instanceof BodyQuotaExceeded) return textBody(503, "no room");
      throw error;
    }
  }, { timeouts: { bodyMemory: 20, contendedBody: 20, ...timeouts } });
  return Object.assign(server, { ends });
}

interface Server extends Listening {
  readonly ends: string[];
}

/** Sends a large body without its last byte. */
async function holding({ address }: Server): Promise<Connection> {
  const connection = await Connection.open(address);
  await connection.send(requestBytes("POST", "/", LARGE).subarray(0, -1));
  return connection;
}

/** Opens a client that waits for `100 Continue` before it sends a large body. */
async function asking({ address }: Server): Promise<Connection> {
  const connection = await Connection.open(address);
  const head =
    `POST / HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: ${LARGE.length}\r\n\r\n`;
  await connection.send(head);
  await pause(100);
  return connection;
}

for (const kind of KINDS) {
  Deno.test(`a large body is invited once there is quota, smaller ones come in meanwhile (${kind})`, async () => {
    await using server = start(kind);
    using holder = await holding(server);
    using waiting = await asking(server);
    using small = await Connection.open(server.address);
    await small.send(requestBytes("POST", "/", LARGE.subarray(0, 100_000)));
    assert.equal((await small.readReply("POST")).text, "100000");
    assert.deepEqual(server.ends, ["read"]);
    await holder.send(new Uint8Array(1));
    assert.equal((await holder.readReply("POST")).text, String(LARGE.length));
    assert.equal((await waiting.readHead()).status, 100);
    await waiting.send(LARGE);
    assert.equal((await waiting.readReply("POST")).text, String(LARGE.length));
  });

  Deno.test(`a body that stops coming is given up while others wait (${kind})`, async () => {
    await using server = start(kind, { contendedBody: 0.5 });
    using holder = await holding(server);
    using other = await Connection.open(server.address);
    const sending = other.send(requestBytes("POST", "/", LARGE));
    assert.equal((await other.readReply("POST")).text, String(LARGE.length));
    await sending;
    assert.ok(await holder.atEnd());
    assert.deepEqual(server.ends.toSorted(), ["ClientDisconnected", "read"]);
  });

  Deno.test(`a body that waits too long is rejected, and its connection closed (${kind})`, async () => {
    await using server = start(kind, { bodyMemory: 0.5 });
    using _holder = await holding(server);
    using waiting = await asking(server);
    const reply = await waiting.readReply("POST");
    assert.deepEqual([reply.status, reply.headers.get("connection")], [503, "close"]);
    assert.ok(await waiting.atEnd());
  });

  Deno.test(`a client that disconnects while its body waits for quota is noticed (${kind})`, async () => {
    await using server = start(kind);
    using _holder = await holding(server);
    using waiting = await asking(server);
    waiting.close();
    await eventually(() => assert.deepEqual(server.ends, ["ClientDisconnected"]));
  });

  Deno.test(`closing the server ends the wait for quota (${kind})`, async () => {
    await using server = start(kind);
    using holder = await holding(server);
    using waiting = await asking(server);
    const closing = server.transport.close(5000);
    assert.equal((await waiting.readReply("POST")).status, 503);
    await holder.send(new Uint8Array(1));
    assert.equal((await holder.readReply("POST")).status, 200);
    for (const connection of [holder, waiting]) connection.close();
    await within(3, closing, "nothing is left");
  });

  Deno.test(`the rest of a body whose request is already answered does not keep the connection open (${kind})`, async () => {
    const reading = Promise.withResolvers<unknown>();
    await using server = listening(kind, (request) => {
      request.body(64 * MIB).catch((error) => reading.resolve(error));
      return pause(100).then(() => textBody(410, "over"));
    }, { timeouts: { linger: 1 } });
    using connection = await Connection.open(server.address);
    const bytes = requestBytes("POST", "/", LARGE.subarray(0, MIB));
    await connection.send(bytes.subarray(0, bytes.length / 2));
    assert.equal((await connection.readReply("POST")).status, 410);
    await connection.send(bytes.subarray(bytes.length / 2));
    const end = await within(3, reading.promise, "nobody reads it any more");
    assert.ok(end instanceof ClientDisconnected);
    await within(3, server.transport.close(10_000), "the connection is closed, though its client stays");
  });
}
