import { delay } from "../../../src/async/delay.ts";
import assert from "node:assert/strict";
import fc from "fast-check";
import { ByteSource } from "../../../src/http/transport/byte_source.ts";
import { joinBytes } from "../../support/bytes.ts";
import { fromBytes, toBytes } from "./fuzz/latin1.ts";
import { GraceConn, ScriptedConn } from "./fuzz/scripted_conn.ts";

const READ_BYTES = 8 * 1024;
const AHEAD_BYTES_MAX = 64 * 1024;

const nothing = (): void => {};

function sourceOf(...texts: string[]): { source: ByteSource; conn: ScriptedConn } {
  const conn = new ScriptedConn(texts.map(toBytes));
  return { source: new ByteSource(conn), conn };
}

/** Waits until all pending callbacks have run. */
async function settled(): Promise<void> {
  await delay(0);
}

Deno.test("received bytes stay until they are skipped, and more are added after them", async () => {
  const { source } = sourceOf("abc", "def");
  assert.equal(source.bytes.length, 0);
  assert.equal(await source.more(), true);
  source.skip(1);
  assert.equal(fromBytes(source.bytes), "bc");
  assert.equal(await source.more(), true);
  assert.equal(fromBytes(source.bytes), "bcdef");
  source.skip(5);
  assert.equal(source.bytes.length, 0);
});

Deno.test("the end of the client shows once everything was received", async () => {
  const { source } = sourceOf("abc");
  assert.equal(await source.more(), true);
  assert.equal(await source.more(), false);
  assert.equal(await source.more(), false);
  assert.equal(fromBytes(source.bytes), "abc");
});

Deno.test("a reset counts as the end", async () => {
  const conn = new GraceConn();
  const source = new ByteSource(conn);
  const more = source.more();
  conn.reset();
  assert.equal(await more, false);
});

Deno.test("callers that wait for more at the same time share one read", async () => {
  const conn = new GraceConn();
  const source = new ByteSource(conn);
  const both = Promise.all([source.more(), source.more()]);
  conn.send(toBytes("abc"));
  assert.deepEqual(await both, [true, true]);
  assert.equal(conn.waiting, false);
  assert.equal(fromBytes(source.bytes), "abc");
});

Deno.test("fill takes the received bytes before it reads, and leaves the rest", async () => {
  const { source } = sourceOf("abcdef", "ghijkl");
  await source.more();
  const first = new Uint8Array(4);
  assert.equal(await source.fill(first, nothing), true);
  assert.equal(fromBytes(first), "abcd");
  assert.equal(fromBytes(source.bytes), "ef");
  let reads = 0;
  const second = new Uint8Array(5);
  assert.equal(await source.fill(second, () => reads++), true);
  assert.equal(fromBytes(second), "efghi");
  assert.equal(reads, 1);
  assert.equal(fromBytes(source.bytes), "jkl");
});

Deno.test("fill reads a large body straight into the caller's buffer, in one step if it comes in one", async () => {
  const { source, conn } = sourceOf("x".repeat(100_000));
  const target = new Uint8Array(100_000);
  assert.equal(await source.fill(target, nothing), true);
  assert.deepEqual(conn.offered, [100_000]);
  assert.equal(conn.lastTarget?.buffer, target.buffer);
});

Deno.test("fill reports a client that disconnects before the end", async () => {
  for (const size of [5, READ_BYTES, 100_000]) {
    const { source } = sourceOf("abc", "d");
    assert.equal(await source.fill(new Uint8Array(size), nothing), false);
    assert.equal(await source.more(), false);
  }
});

Deno.test("fill waits for the read that the disconnect watch has started", async () => {
  const conn = new GraceConn();
  const source = new ByteSource(conn);
  let over = false;
  const watching = source.watch(() => over);
  over = true;
  const target = new Uint8Array(20_000);
  const filling = source.fill(target, nothing);
  await settled();
  conn.send(toBytes("abc"));
  assert.equal(await watching, "stopped");
  await settled();
  conn.send(toBytes("x".repeat(20_000)));
  assert.equal(await filling, true);
  assert.equal(fromBytes(target.subarray(0, 4)), "abcx");
});

Deno.test("the disconnect watch notices that the client disconnects, and keeps the bytes received before", async () => {
  for (const leave of ["leave", "reset"] as const) {
    const conn = new GraceConn();
    const source = new ByteSource(conn);
    const watching = source.watch(() => false);
    conn.send(toBytes("GET / "));
    await settled();
    conn.send(toBytes("HTTP/1.1"));
    await settled();
    conn[leave]();
    assert.equal(await watching, "gone");
    assert.equal(fromBytes(source.bytes), "GET / HTTP/1.1");
  }
});

Deno.test("a client that sends 64 KiB ahead is flooding, and not before", async () => {
  const conn = new GraceConn();
  const source = new ByteSource(conn);
  let end: string | undefined;
  source.watch(() => false).then((how) => end = how);
  let sent = 0;
  while (sent < AHEAD_BYTES_MAX - 1) {
    assert.ok(conn.waiting);
    sent += conn.send(new Uint8Array(AHEAD_BYTES_MAX - 1 - sent));
    await settled();
  }
  assert.equal(end, undefined);
  conn.send(new Uint8Array(1));
  await settled();
  assert.equal(end, "flooding");
  assert.equal(conn.waiting, false);
});

Deno.test("nothing is received beyond a bounded amount until it is taken", async () => {
  const conn = new ScriptedConn([new Uint8Array(10 * AHEAD_BYTES_MAX)]);
  const source = new ByteSource(conn);
  assert.equal(await source.watch(() => false), "flooding");
  assert.ok(source.bytes.length < 4 * AHEAD_BYTES_MAX, `${source.bytes.length} bytes`);
});

Deno.test("a buffer that grew for a long head is released afterwards", async () => {
  const { source, conn } = sourceOf("x".repeat(60_000), "y");
  while (source.bytes.length < 60_000) await source.more();
  assert.ok(Math.max(...conn.offered) > READ_BYTES, "the buffer did not grow at all");
  source.skip(60_000);
  await source.more();
  assert.equal(conn.offered.at(-1), READ_BYTES);
});

Deno.test("a read never offers less than half a buffer, however bytes come and go", async () => {
  const { source, conn } = sourceOf(..."x".repeat(5000).match(/x{1,7}/g)!);
  while (await source.more()) if (source.bytes.length > 100) source.skip(source.bytes.length - 1);
  assert.ok(Math.min(...conn.offered) >= READ_BYTES / 2);
  assert.ok(Math.max(...conn.offered) <= 4 * READ_BYTES);
});

Deno.test("whatever way bytes are taken, all of them come in order", async () => {
  const piece = fc.integer({ min: 1, max: 20_000 });
  const step = fc.oneof(
    fc.record({ kind: fc.constant("skip" as const), bytes: fc.nat(10_000) }),
    fc.record({ kind: fc.constant("fill" as const), bytes: fc.nat(30_000) }),
    fc.record({ kind: fc.constant("more" as const), bytes: fc.constant(0) }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { maxLength: 8 }),
      fc.array(step, { maxLength: 20 }),
      async (sizes, steps) => {
        let next = 0;
        const pieces = sizes.map((size) => Uint8Array.from({ length: size }, () => next++ % 251));
        const source = new ByteSource(new ScriptedConn(pieces));
        const taken: Uint8Array[] = [];
        for (const { kind, bytes } of steps) {
          if (kind === "more") await source.more();
          if (kind === "skip") {
            const count = Math.min(bytes, source.bytes.length);
            taken.push(source.bytes.slice(0, count));
            source.skip(count);
          }
          if (kind === "fill") {
            const target = new Uint8Array(bytes);
            if (!await source.fill(target, nothing)) break;
            taken.push(target);
          }
        }
        taken.push(source.bytes.slice());
        const all = joinBytes(taken);
        assert.deepEqual(all, joinBytes(pieces).subarray(0, all.length));
      },
    ),
    { numRuns: 200 },
  );
});
