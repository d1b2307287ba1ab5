import assert from "node:assert/strict";
import { BodyQuotaExceeded, BodyTooLarge, Malformed } from "../../../src/http/exchange.ts";
import { BodyReader } from "../../../src/http/transport/body.ts";
import { ByteSource } from "../../../src/http/transport/byte_source.ts";
import type { Framing } from "../../../src/http/transport/request_head.ts";
import { ClientDisconnected } from "../../../src/model/errors.ts";
import { fromBytes, toBytes } from "./fuzz/latin1.ts";
import { ScriptedConn } from "./fuzz/scripted_conn.ts";

const CHUNKED: Framing = { kind: "chunked" };
const FREE_BYTES = 16 * 1024;

interface Reading {
  readonly reader: BodyReader;
  readonly source: ByteSource;
  readonly conn: ScriptedConn;
  /** The calls that the reader made, in order. */
  readonly calls: string[];
}

function reading(framing: Framing, ...pieces: string[]): Reading {
  const conn = new ScriptedConn(pieces.map(toBytes));
  const source = new ByteSource(conn);
  const calls: string[] = [];
  const reserve = (bytes: number): Promise<void> => {
    calls.push(`room for ${bytes}`);
    return Promise.resolve();
  };
  const onProgress = (): void => void calls.push("progress");
  return { reader: new BodyReader(source, framing, { reserve, onProgress }), source, conn, calls };
}

async function readAll(reader: BodyReader, bytesMax: number): Promise<Uint8Array> {
  reader.begin(bytesMax);
  return await reader.read(bytesMax);
}

const length = (bytes: number): Framing => ({ kind: "length", bytes });

async function read(framing: Framing, bytesMax: number, ...pieces: string[]): Promise<string> {
  return fromBytes(await readAll(reading(framing, ...pieces).reader, bytesMax));
}

Deno.test("a body is read alike wherever its bytes are split, and the bytes after it stay unread", async () => {
  const bodies: readonly (readonly [framing: Framing, sent: string])[] = [
    [length(11), "hello world"],
    [CHUNKED, '5;a="b;c"\r\nhello\r\n06\r\n world\r\n0;z\r\nX: y\r\nZ:\r\n\r\n'],
  ];
  for (const [framing, sent] of bodies) {
    const text = `${sent}GET / `;
    const splits = [Array.from(text), ...Array.from(text, (_, at) => [text.slice(0, at), text.slice(at)])];
    for (const pieces of splits) {
      const { reader, source } = reading(framing, ...pieces);
      assert.equal(fromBytes(await readAll(reader, 11)), "hello world");
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

Deno.test("a body that is announced as too large is not read", async () => {
  const { reader, conn, calls } = reading(length(101), "x".repeat(101));
  await assert.rejects(readAll(reader, 100), BodyTooLarge);
  assert.deepEqual(calls, []);
  assert.deepEqual(conn.offered, []);
  assert.equal(reader.unreadBytes, 101);
});

Deno.test("each read is progress, and a small body needs no quota", async () => {
  const { reader, calls } = reading(CHUNKED, "5\r\nhe", "llo\r\n", "0\r\n\r\n");
  await readAll(reader, 100);
  assert.deepEqual(calls, ["progress", "progress", "progress"]);
});

Deno.test("a body gets its quota before more than 16 KiB of it are read", async () => {
  const free = "x".repeat(FREE_BYTES);
  const rooms = async (framing: Framing, ...pieces: string[]): Promise<string[]> => {
    const { reader, calls, source } = reading(framing, ...pieces);
    await readAll(reader, 100_000);
    assert.equal(source.bytes.length, 0);
    return calls.filter((call, i) => call !== "progress" && calls.lastIndexOf("progress") > i);
  };
  assert.deepEqual(await rooms(length(FREE_BYTES), free), []);
  assert.deepEqual(await rooms(length(FREE_BYTES + 1), free, "x"), ["room for 16385"]);
  assert.deepEqual(await rooms(CHUNKED, `4000\r\n${free}\r\n`, "0\r\n\r\n"), []);
  assert.deepEqual(await rooms(CHUNKED, `4001\r\n${free}`, "x\r\n0\r\n\r\n"), ["room for 100000"]);
  assert.deepEqual(await rooms(CHUNKED, "1\r\nx\r\n".repeat(20_000), "0\r\n\r\n"), ["room for 100000"]);
});

Deno.test("reading ends with the error that rejects the quota", async () => {
  const source = new ByteSource(new ScriptedConn([toBytes("x".repeat(20_000))]));
  const reserve = (): Promise<void> => Promise.reject(new BodyQuotaExceeded());
  const reader = new BodyReader(source, length(20_000), { reserve, onProgress: () => {} });
  await assert.rejects(readAll(reader, 20_000), BodyQuotaExceeded);
});

Deno.test("the remaining length of a body is known until reading it has begun", async () => {
  assert.equal(reading({ kind: "none" }).reader.unreadBytes, 0);
  assert.equal(reading({ kind: "none" }).reader.complete, true);
  assert.equal(reading(length(5)).reader.unreadBytes, 5);
  assert.equal(reading(length(5)).reader.complete, false);
  assert.equal(reading(CHUNKED).reader.unreadBytes, Infinity);
  const { reader } = reading(length(5), "hell");
  await assert.rejects(readAll(reader, 5), ClientDisconnected);
  assert.equal(reader.unreadBytes, Infinity);
  assert.equal(reader.complete, false);
  await assert.rejects(readAll(reader, 5), /read only once/);
});

Deno.test("a client that disconnects within its body is distinguished from a malformed body", async () => {
  const whole = "5\r\nhello\r\n0\r\nX: y\r\n\r\n";
  for (let sent = 0; sent < whole.length; sent++) {
    await assert.rejects(read(CHUNKED, 100, whole.slice(0, sent)), ClientDisconnected, `after ${sent} bytes`);
  }
  for (let sent = 0; sent < 5; sent++) {
    await assert.rejects(read(length(5), 100, "hello".slice(0, sent)), ClientDisconnected);
  }
});

Deno.test("no part of a chunked body makes the reader wait for a line without end", async () => {
  const endless = "x".repeat(20_000);
  for (const begin of ["", "5", "5;", "5\r\nhello", "0\r\n", "0\r\nX: "]) {
    const { reader, source } = reading(CHUNKED, begin + endless, endless, endless);
    await assert.rejects(readAll(reader, 100), Malformed, begin);
    assert.ok(source.bytes.length < 2 * endless.length, `${begin}: ${source.bytes.length} bytes were read`);
  }
});

Deno.test("the size that a client announces costs no memory before its bytes come", async () => {
  const cap = 2 ** 32;
  for (const [framing, begin] of [[length(2 ** 31), ""], [CHUNKED, "7fffffff\r\n"]] as const) {
    const { reader, conn } = reading(framing, begin, "x".repeat(1000));
    await assert.rejects(readAll(reader, cap), ClientDisconnected);
    assert.ok(Math.max(...conn.offered) <= FREE_BYTES, `a read into ${Math.max(...conn.offered)} bytes`);
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
  // It takes about a second. A copy of the whole body for each chunk would be 180 GB.
  assert.ok(performance.now() - started < 10_000);
});
