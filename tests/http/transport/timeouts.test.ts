import assert from "node:assert/strict";
import type { Handler, Reply } from "../../../src/http/exchange.ts";
import { TIMEOUTS, type Timeouts } from "../../../src/http/transport/timeouts.ts";
import { Connection } from "../../support/connection.ts";
import { pause } from "../../support/eventually.ts";
import { type Kind, KINDS, type Listening, listening } from "./support/listening.ts";
import { requestBytes, textBody } from "./support/requests.ts";

/** Timeouts far enough apart to be distinguished: the server looks for overdue connections every 250 ms. */
const SHORT: Timeouts = {
  requestHead: 1,
  stalledBody: 2,
  bodyMemory: 2,
  contendedBody: 1,
  idle: 3,
  line: 2,
  linger: 1,
};

/** The allowed delay of the end of a connection: the interval of the check, and a busy machine. */
const LATE_SECONDS_MAX = 0.9;

/** The part of a timeout that may not count, because the server was held up. */
const NOT_COUNTED_PART_MAX = 0.1;

type Trickle = readonly [text: string, everyMilliseconds: number];

/** Sends something again and again until the connection is closed, by either side. */
async function trickle(connection: Connection, [text, everyMilliseconds]: Trickle): Promise<void> {
  try {
    while (true) {
      await connection.send(text);
      await pause(everyMilliseconds);
    }
  } catch {
    // The connection has ended.
  }
}

/** Returns the seconds until the server closes, reading everything that it sends. */
async function secondsUntilClosed(connection: Connection): Promise<number> {
  const startedAt = performance.now();
  while (await connection.readSome(64 * 1024) !== undefined);
  return (performance.now() - startedAt) / 1000;
}

function assertInTime(seconds: number, limitSeconds: number, what: string): void {
  const text = `${what}: closed after ${seconds.toFixed(2)} s, the limit is ${limitSeconds} s`;
  const secondsMax = limitSeconds * (1 + NOT_COUNTED_PART_MAX) + LATE_SECONDS_MAX;
  assert.ok(seconds > limitSeconds - 0.1 && seconds < secondsMax, text);
}

/** A server with an endless reply, and the seconds after which each reply was given up. */
interface Server extends Listening {
  readonly streamsEnded: readonly number[];
}

function start(kind: Kind, timeouts: Timeouts): Server {
  const streamsEnded: number[] = [];
  const handler: Handler = async (request) => {
    await request.body(1024 * 1024);
    if (request.target !== "/endless") return textBody(200, request.target);
    return endless((seconds) => streamsEnded.push(seconds));
  };
  return Object.assign(listening(kind, handler, { timeouts }), { streamsEnded });
}

/** A reply without end and without a pause. */
function endless(onEnd: (seconds: number) => void): Reply {
  const startedAt = performance.now();
  async function* body(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    try {
      while (true) yield await Promise.resolve(new Uint8Array(256 * 1024));
    } finally {
      onEnd((performance.now() - startedAt) / 1000);
    }
  }
  return { status: 200, headers: {}, body: body() };
}

async function closes(
  { address }: Listening,
  what: string,
  limitSeconds: number,
  first: string | Uint8Array,
  then?: Trickle,
): Promise<void> {
  using connection = await Connection.open(address);
  await connection.send(first);
  const trickling = then === undefined ? undefined : trickle(connection, then);
  assertInTime(await secondsUntilClosed(connection), limitSeconds, what);
  connection.close();
  await trickling;
}

async function idleCloses({ address }: Listening, timeouts: Timeouts): Promise<void> {
  using connection = await Connection.open(address);
  await connection.send(requestBytes("GET", "/"));
  await connection.readReply("GET");
  assertInTime(await secondsUntilClosed(connection), timeouts.idle, "idle between two requests");
}

async function unreadReplyCloses({ address, streamsEnded }: Server, timeouts: Timeouts): Promise<void> {
  using connection = await Connection.open(address);
  await connection.send(requestBytes("GET", "/endless"));
  const head = await connection.readHead();
  await pause(1000 * (timeouts.line * (1 + NOT_COUNTED_PART_MAX) + LATE_SECONDS_MAX));
  assert.equal(streamsEnded.length, 1, "the stream of a reader that stalls is ended in time");
  assertInTime(streamsEnded[0]!, timeouts.line, "a reply that is not read");
  assert.ok((await connection.readRest(head)).cutShort, "what the kernel still held has no end");
}

const HEAD_BEGINNING = "GET / HTTP/1.1\r\nhost: localhost\r\nx-endless: ";

const cutByTheHeadLimit = (server: Listening, { requestHead: head }: Timeouts): Promise<void>[] => [
  closes(server, "no bytes at all", head, ""),
  closes(server, "half a head", head, HEAD_BEGINNING),
  closes(server, "a head byte by byte", head, "G", ["E", 50]),
  closes(server, "an endless header", head, HEAD_BEGINNING, ["xxxxxxxx", 20]),
];

const half = requestBytes("POST", "/", "x".repeat(10_000)).subarray(0, 5000);

/** Runs a test for both kinds at once: each takes seconds and causes no load. */
function testBoth(name: string, run: (kind: Kind) => Promise<void>): void {
  Deno.test(name, async () => {
    await Promise.all(KINDS.map(run));
  });
}

testBoth("a head, a stalled body, an idle connection and an unread reply have their time", async (kind) => {
  await using server = start(kind, SHORT);
  await Promise.all([
    ...cutByTheHeadLimit(server, SHORT),
    closes(server, "a stalled body", SHORT.stalledBody, half),
    closes(
      server,
      "a stalled chunk",
      SHORT.stalledBody,
      "POST / HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n1000\r\nxxxx",
    ),
    idleCloses(server, SHORT),
    unreadReplyCloses(server, SHORT),
  ]);
});

testBoth("a body that drips is cut off, also when nearly all of it came at once", async (kind) => {
  await using server = start(kind, SHORT);
  const nearlyAll = requestBytes("POST", "/", "x".repeat(100_000)).subarray(0, -50);
  await Promise.all([
    closes(server, "a body byte by byte", SHORT.stalledBody, half, ["x", 200]),
    closes(server, "the last bytes one by one", SHORT.stalledBody, nearlyAll, ["x", 200]),
  ]);
});

testBoth("a second head has the time of a head from its first byte on", async (kind) => {
  await using server = start(kind, SHORT);
  using connection = await Connection.open(server.address);
  await connection.send(requestBytes("GET", "/"));
  await connection.readReply("GET");
  await pause(300);
  await connection.send(HEAD_BEGINNING);
  assertInTime(await secondsUntilClosed(connection), SHORT.requestHead, "a second head that stalls");
});

testBoth("a client that makes progress, or waits for the server, is not cut off", async (kind) => {
  const slow: Handler = async (request) => {
    const body = await request.body(10_000);
    await pause(1000 * (Math.max(...Object.values(SHORT)) + 0.5));
    return textBody(200, String(body.length));
  };
  await using server = listening(kind, slow, { timeouts: SHORT });
  using connection = await Connection.open(server.address);
  await connection.send("POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 8001\r\n\r\nx");
  for (let i = 0; i < 4; i++) {
    await pause(700);
    await connection.send("x".repeat(2000));
  }
  assert.equal((await connection.readReply("POST")).text, "8001");
});

Deno.test("the limits in force are 10 s for a head, 30 s for a body and a line, 120 s when idle", () => {
  const { requestHead, stalledBody, idle, line } = TIMEOUTS;
  assert.deepEqual({ requestHead, stalledBody, idle, line }, {
    requestHead: 10,
    stalledBody: 30,
    idle: 120,
    line: 30,
  });
});

Deno.test("in real time a head ends after 10 s", async () => {
  await using server = start("tcp", TIMEOUTS);
  await Promise.all(cutByTheHeadLimit(server, TIMEOUTS));
});
