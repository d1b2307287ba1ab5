import assert from "node:assert/strict";
import { BodyTooLarge, Malformed } from "../../../src/http/exchange.ts";
import { BodyReader } from "../../../src/http/transport/body.ts";
import { ByteSource } from "../../../src/http/transport/byte_source.ts";
import type { Framing } from "../../../src/http/transport/request_head.ts";
import { ClientLeft } from "../../../src/model/errors.ts";
import { fromBytes, toBytes } from "./fuzz/latin1.ts";
import { ScriptedConn } from "./fuzz/scripted_conn.ts";

const CHUNKED: Framing = { kind: "chunked" };
const TRUSTED_BYTES = 64 * 1024;

interface Reading {
  readonly reader: BodyReader;
  readonly source: ByteSource;
  readonly conn: ScriptedConn;
  /** What the reader did, in order. */
  readonly calls: ("invite" | "progress")[];
}

function reading(framing: Framing, ...pieces: string[]): Reading {
  const conn = new ScriptedConn(pieces.map(toBytes));
  const source = new ByteSource(conn);
  const calls: ("invite" | "progress")[] = [];
  const invite = (): Promise<void> => {
    calls.push("invite");
    return Promise.resolve();
  };
  return {
    reader: new BodyReader(source, framing, invite, () => calls.push("progress")),
    source,
    conn,
    calls,
  };
}

const length = (bytes: number): Framing => ({ kind: "length", bytes });

async function read(framing: Framing, bytesMax: number, ...pieces: string[]): Promise<string> {
  return fromBytes(await reading(framing, ...pieces).reader.read(bytesMax));
}

Deno.test("a body is read alike wherever its bytes are split, and what follows it is left", async () => {
  const bodies: readonly (readonly [framing: Framing, sent: string])[] = [
    [length(11), "hello world"],
    [CHUNKED, '5;a="b;c"\r\nhello\r\n06\r\n world\r\n0;z\r\nX: y\r\nZ:\r\n\r\n'],
  ];
  for (const [framing, sent] of bodies) {
    const text = `${sent}GET / `;
    const splits = [Array.from(text), ...Array.from(text, (_, at) => [text.slice(0, at), text.slice(at)])];
    for (const pieces of splits) {
      const { reader, source } = reading(framing, ...pieces);
      assert.equal(fromBytes(await reader.read(11)), "hello world");
      assert.equal(reader.complete, true);
      while (await source.more());
      assert.equal(fromBytes(source.bytes), "GET / ");
    }
  }
});

Deno.test("a body may have the size that it may have, and no byte more", async () => {
  const body = "x".repeat(100);
  assert.equal(await read(length(100), 100, body), body);
  assert.equal(await read(CHUNKED, 100, `64\r\n${body}\r\n0\r\n\r\n`), body);
  assert.equal(await read(CHUNKED, 100, "1\r\nx\r\n".repeat(100) + "0\r\n\r\n"), body);
  await assert.rejects(read(length(101), 100, body), BodyTooLarge);
  await assert.rejects(read(CHUNKED, 100, "65\r\n"), BodyTooLarge);
  await assert.rejects(read(CHUNKED, 100, "1\r\nx\r\n".repeat(101)), BodyTooLarge);
});

Deno.test("a body that is announced as too large is neither invited nor read", async () => {
  const { reader, conn, calls } = reading(length(101), "x".repeat(101));
  await assert.rejects(reader.read(100), BodyTooLarge);
  assert.deepEqual(calls, []);
  assert.deepEqual(conn.offered, []);
  assert.equal(reader.unreadBytes, 101);
});

Deno.test("a body is invited once, before it is read, and each read is progress", async () => {
  const { reader, calls } = reading(CHUNKED, "5\r\nhe", "llo\r\n", "0\r\n\r\n");
  await reader.read(100);
  assert.deepEqual(calls, ["invite", "progress", "progress", "progress"]);
});

Deno.test("what is left of a body is known until reading it has begun", async () => {
  assert.equal(reading({ kind: "none" }).reader.unreadBytes, 0);
  assert.equal(reading({ kind: "none" }).reader.complete, true);
  assert.equal(reading(length(5)).reader.unreadBytes, 5);
  assert.equal(reading(length(5)).reader.complete, false);
  assert.equal(reading(CHUNKED).reader.unreadBytes, Infinity);
  const { reader } = reading(length(5), "hell");
  await assert.rejects(reader.read(5), ClientLeft);
  assert.equal(reader.unreadBytes, Infinity);
  assert.equal(reader.complete, false);
  await assert.rejects(reader.read(5), /read only once/);
});

Deno.test("a client that leaves within its body is distinguished from a malformed one", async () => {
  const whole = "5\r\nhello\r\n0\r\nX: y\r\n\r\n";
  for (let sent = 0; sent < whole.length; sent++) {
    await assert.rejects(read(CHUNKED, 100, whole.slice(0, sent)), ClientLeft, `after ${sent} bytes`);
  }
  for (let sent = 0; sent < 5; sent++) {
    await assert.rejects(read(length(5), 100, "hello".slice(0, sent)), ClientLeft);
  }
});

Deno.test("a chunk's size has one to eight digits, zeros in front included", async () => {
  for (const size of ["5", "05", "00000005"]) {
    assert.equal(await read(CHUNKED, 100, `${size}\r\nhello\r\n00000000\r\n\r\n`), "hello", size);
  }
  for (const size of ["000000005", "100000005", "", " 5", "5 ", "+5", "0x5", "5h", "5.0", "-5"]) {
    await assert.rejects(read(CHUNKED, 100, `${size}\r\nhello\r\n0\r\n\r\n`), Malformed, size);
  }
  await assert.rejects(read(CHUNKED, 100, "hello\r\n000000000\r\n\r\n"), Malformed);
});

Deno.test("no part of a chunked body makes the reader wait for a line without end", async () => {
  const endless = "x".repeat(20_000);
  for (const begin of ["", "5", "5;", "5\r\nhello", "0\r\n", "0\r\nX: "]) {
    const { reader, source } = reading(CHUNKED, begin + endless, endless, endless);
    await assert.rejects(reader.read(100), Malformed, begin);
    assert.ok(source.bytes.length < 2 * endless.length, `${begin}: ${source.bytes.length} bytes were read`);
  }
});

Deno.test("extensions and trailers are bounded over the whole body", async () => {
  const extended = "1;abc=def\r\nx\r\n";
  await assert.rejects(
    read(CHUNKED, 10_000, extended.repeat(1000) + "0\r\n\r\n"),
    Malformed,
  );
  assert.equal((await read(CHUNKED, 10_000, extended.repeat(400) + "0\r\n\r\n")).length, 400);
  await assert.rejects(read(CHUNKED, 100, `0\r\n${"X: y\r\n".repeat(2000)}\r\n`), Malformed);
  assert.equal(await read(CHUNKED, 100, `0\r\n${"X: y\r\n".repeat(1000)}\r\n`), "");
});

Deno.test("the size that a client announces costs no memory before its bytes come", async () => {
  const cap = 2 ** 32;
  for (const [framing, begin] of [[length(2 ** 31), ""], [CHUNKED, "7fffffff\r\n"]] as const) {
    const { reader, conn } = reading(framing, begin, "x".repeat(1000));
    await assert.rejects(reader.read(cap), ClientLeft);
    assert.ok(Math.max(...conn.offered) <= TRUSTED_BYTES, `a read into ${Math.max(...conn.offered)} bytes`);
  }
});

Deno.test("a large body comes as it was sent, in one chunk or of known length", async () => {
  const body = Array.from({ length: 300_000 }, (_, i) => String.fromCharCode(i % 256)).join("");
  const sent = `${body.length.toString(16)}\r\n${body}\r\n5\r\nhello\r\n0\r\n\r\n`;
  const inPieces = (text: string): string[] => text.match(/[^]{1,10007}/g)!;
  assert.equal(await read(CHUNKED, 1_000_000, ...inPieces(sent)), `${body}hello`);
  assert.equal(await read(length(body.length), 1_000_000, ...inPieces(body)), body);
});

Deno.test("many tiny chunks cost time in proportion to their number", async () => {
  const count = 600_000;
  const pieces = Array<string>(count / 1000).fill("1\r\nx\r\n".repeat(1000));
  const started = performance.now();
  assert.equal((await read(CHUNKED, count, ...pieces, "0\r\n\r\n")).length, count);
  // About a second; a copy of the whole for each chunk would be 180 GB.
  assert.ok(performance.now() - started < 10_000);
});
