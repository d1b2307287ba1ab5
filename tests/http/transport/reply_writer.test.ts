import assert from "node:assert/strict";
import type { Reply } from "../../../src/http/exchange.ts";
import type { ReplyOptions } from "../../../src/http/transport/reply_head.ts";
import { writeReply } from "../../../src/http/transport/reply_writer.ts";
import { joinBytes } from "../../support/bytes.ts";
import { fromBytes, toBytes } from "./fuzz/latin1.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const encoder = new TextEncoder();
const PIECE_BYTES_MAX = 64 * 1024;
const OPTIONS: ReplyOptions = { minorVersion: 1, keepAlive: true, withoutBody: false };

async function write(reply: Reply, options: Partial<ReplyOptions> = {}): Promise<Bytes[]> {
  const written: Bytes[] = [];
  const take = (bytes: Bytes): Promise<void> => {
    written.push(bytes);
    return Promise.resolve();
  };
  await writeReply(take, reply, { ...OPTIONS, ...options });
  return written;
}

/** Returns the whole reply as text, without its date. */
async function text(reply: Reply, options: Partial<ReplyOptions> = {}): Promise<string> {
  const all = fromBytes(joinBytes(await write(reply, options)));
  assert.match(all, /\r\nDate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n/);
  return all.replace(/Date: .*\r\n/, "");
}

function reply(body: string | null, status = 200, headers: Reply["headers"] = {}): Reply {
  return { status, headers, body: body === null ? null : toBytes(body) };
}

async function* parts(...texts: string[]): AsyncGenerator<Bytes, void> {
  for (const part of texts) yield await Promise.resolve(toBytes(part));
}

function stream(...texts: string[]): Reply {
  return { status: 200, headers: {}, body: parts(...texts) };
}

/** Decodes a chunked body with the simplest possible code. */
function dechunked(body: string): string {
  let whole = "";
  for (let at = 0;;) {
    const end = body.indexOf("\r\n", at);
    const size = parseInt(body.slice(at, end), 16);
    assert.match(body.slice(at, end), /^[0-9a-f]+$/);
    if (size === 0) {
      assert.equal(body.slice(end), "\r\n\r\n");
      return whole;
    }
    whole += body.slice(end + 2, end + 2 + size);
    assert.equal(body.slice(end + 2 + size, end + 4 + size), "\r\n");
    at = end + 4 + size;
  }
}

Deno.test("a head and a small body go out in one write", async () => {
  assert.equal((await write(reply("hello", 200, { "X-A": "b", "X-C": "d" }))).length, 1);
  assert.equal(
    await text(reply("hello", 200, { "X-A": "b", "X-C": "d" })),
    "HTTP/1.1 200 OK\r\nX-A: b\r\nX-C: d\r\nContent-Length: 5\r\n\r\nhello",
  );
});

Deno.test("a reply without a body has the length 0, and 204 has none", async () => {
  assert.equal(await text(reply(null, 404)), "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
  assert.equal(await text(reply("", 404)), "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
  assert.equal(await text(reply(null, 204)), "HTTP/1.1 204 No Content\r\n\r\n");
});

Deno.test("nothing follows the head of 204, whatever the handler gives", async () => {
  assert.equal(await text(reply("hello", 204)), "HTTP/1.1 204 No Content\r\n\r\n");
  assert.equal(await text({ ...stream("hello"), status: 204 }), "HTTP/1.1 204 No Content\r\n\r\n");
});

Deno.test("HEAD gets the head alone, also for a stream", async () => {
  const withoutBody = true;
  assert.equal(await text(reply("hello"), { withoutBody }), "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
  for (const bytes of [5, 70_000]) {
    const body = [new Uint8Array(bytes - 1), new Uint8Array(1)];
    assert.equal(
      await text({ status: 200, headers: {}, body }, { withoutBody }),
      `HTTP/1.1 200 OK\r\nContent-Length: ${bytes}\r\n\r\n`,
    );
  }
  assert.equal(
    await text(reply(null, 200, { "Content-Length": "7" }), { withoutBody }),
    "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n",
  );
  assert.equal(
    await text(stream("hello"), { withoutBody }),
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
  );
});

Deno.test("whether the connection stays open is stated where it is not the default", async () => {
  const said = async (options: Partial<ReplyOptions>): Promise<string | undefined> =>
    /\r\nConnection: (.*)\r\n/.exec(await text(reply("a"), options))?.[1];
  assert.equal(await said({ minorVersion: 1, keepAlive: true }), undefined);
  assert.equal(await said({ minorVersion: 1, keepAlive: false }), "close");
  assert.equal(await said({ minorVersion: 0, keepAlive: true }), "keep-alive");
  assert.equal(await said({ minorVersion: 0, keepAlive: false }), "close");
});

Deno.test("a status without a known reason has an empty one", async () => {
  assert.match(await text(reply(null, 299)), /^HTTP\/1\.1 299 \r\n/);
});

Deno.test("short and long bodies, texts and bytes, and long heads are written alike", async () => {
  for (const size of [1, 2388, 2389, 2390, 7167, 7168, 7169, 70_000]) {
    for (const unit of ["x", "\u00e9", "\u20ac", "\u{1f600}"]) {
      for (const name of ["a", "a".repeat(2000)]) {
        const body = unit.repeat(Math.ceil(size / unit.length));
        const bytes = encoder.encode(body);
        const whole = await text({ status: 200, headers: { "X-Name": name }, body });
        const head = `HTTP/1.1 200 OK\r\nX-Name: ${name}\r\nContent-Length: ${bytes.length}\r\n\r\n`;
        assert.equal(whole, head + fromBytes(bytes));
        assert.equal(await text({ status: 200, headers: { "X-Name": name }, body: bytes }), whole);
        const parts = [bytes.slice(0, 1), bytes.slice(1, 1), bytes.slice(1)];
        assert.equal(await text({ status: 200, headers: { "X-Name": name }, body: parts }), whole);
      }
    }
  }
});

Deno.test("replies that are being written at the same time do not share memory", async () => {
  const written: Bytes[] = [];
  const go = Promise.withResolvers<void>();
  const take = (bytes: Bytes): Promise<void> => {
    written.push(bytes);
    return go.promise;
  };
  const names = Array.from({ length: 100 }, (_, i) => `reply ${i}`);
  const writing = names.map((name) => writeReply(take, { status: 200, headers: {}, body: name }, OPTIONS));
  const bodies = written.map((bytes) => fromBytes(bytes).replace(/^.*\r\n\r\n/s, ""));
  assert.deepEqual(bodies, names);
  go.resolve();
  await Promise.all(writing);
});

Deno.test("a large body goes out in one write and is not copied", async () => {
  const body = toBytes("x".repeat(3 * PIECE_BYTES_MAX + 10));
  const [head, ...rest] = await write({ status: 200, headers: {}, body });
  assert.match(fromBytes(head!), /Content-Length: 196618\r\n\r\n$/);
  assert.deepEqual(rest.map(({ length }) => length), [196618]);
  assert.ok(rest.every(({ buffer }) => buffer === body.buffer));
});

Deno.test("a stream goes out in chunks that hold exactly its bytes", async () => {
  const cases = [
    [],
    [""],
    ["hello"],
    ["a", "", "b"],
    ["x".repeat(17), "y".repeat(256)],
    ["a", "x".repeat(PIECE_BYTES_MAX), "b", "y".repeat(3 * PIECE_BYTES_MAX + 1), "c"],
    Array<string>(2000).fill("x".repeat(100)),
  ];
  for (const texts of cases) {
    const all = await text(stream(...texts));
    const end = all.indexOf("\r\n\r\n") + 4;
    assert.equal(all.slice(0, end), "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    assert.equal(dechunked(all.slice(end)), texts.join(""));
  }
});

Deno.test("small parts of a stream are put together, up to 64 KiB, and a large one goes out as it is", async () => {
  assert.equal((await write(stream("a", "b", "c"))).length, 1);
  const lines = await write(stream(...Array<string>(2000).fill("x".repeat(100))));
  assert.ok(lines.length <= 5, `${lines.length} writes`);
  assert.ok(lines.every(({ length }) => length > 0 && length <= PIECE_BYTES_MAX));
  const large = await write(stream("a", "x".repeat(10 * PIECE_BYTES_MAX), "b"));
  assert.deepEqual(large.map(({ length }) => length > PIECE_BYTES_MAX), [false, true, false]);
});

Deno.test("a stream to HTTP/1.0 is neither chunked nor given a length", async () => {
  assert.equal(
    await text(stream("a", "b"), { minorVersion: 0, keepAlive: false }),
    "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nab",
  );
});

Deno.test("a stream that throws ends without its last chunk", async () => {
  const written: Bytes[] = [];
  async function* broken(): AsyncGenerator<Bytes, void> {
    yield await Promise.resolve(toBytes("x".repeat(2 * PIECE_BYTES_MAX)));
    throw new Error("broken");
  }
  const take = (bytes: Bytes): Promise<void> => {
    written.push(bytes);
    return Promise.resolve();
  };
  await assert.rejects(writeReply(take, { status: 200, headers: {}, body: broken() }, OPTIONS), /broken/);
  const sent = fromBytes(joinBytes(written));
  assert.match(sent, /x{1000}/);
  assert.doesNotMatch(sent, /\r\n0\r\n\r\n$/);
});

Deno.test("a write that fails ends the stream, which can clean up", async () => {
  let cleanedUp = false;
  async function* endless(): AsyncGenerator<Bytes, void> {
    try {
      while (true) yield await Promise.resolve(toBytes("x".repeat(PIECE_BYTES_MAX)));
    } finally {
      cleanedUp = true;
    }
  }
  const reject = (): Promise<void> => Promise.reject(new Error("gone"));
  await assert.rejects(writeReply(reject, { status: 200, headers: {}, body: endless() }, OPTIONS), /gone/);
  assert.equal(cleanedUp, true);
});

Deno.test("the writer asks for a part only when the parts before it are written or put together", async () => {
  const order: string[] = [];
  async function* three(): AsyncGenerator<Bytes, void> {
    for (const name of ["a", "b", "c"]) {
      order.push(`make ${name}`);
      yield await Promise.resolve(toBytes(name.repeat(2 * PIECE_BYTES_MAX)));
    }
  }
  const take = async (bytes: Bytes): Promise<void> => {
    await Promise.resolve();
    if (bytes.length > PIECE_BYTES_MAX) order.push(`write ${String.fromCharCode(bytes[0]!)}`);
  };
  await writeReply(take, { status: 200, headers: {}, body: three() }, OPTIONS);
  assert.deepEqual(order, ["a", "b", "c"].flatMap((name) => [`make ${name}`, `write ${name}`]));
});
