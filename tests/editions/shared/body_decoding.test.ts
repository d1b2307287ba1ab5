import assert from "node:assert/strict";
import type { ServerSettings } from "../../../src/config/load.ts";
import { WRITE_DECODERS, type WriteDecoding } from "../../../src/editions/a_write/write_request.ts";
import { BodyDecoding } from "../../../src/editions/shared/decoding/body_decoding.ts";
import { ApiError, ClientDisconnected, LimitReached } from "../../../src/model/errors.ts";
import { limits } from "../a_write/decode_bodies.ts";

const WORKER = new URL("../../../src/editions/a_write/write_decoding_worker.ts", import.meta.url);
const STAYING = { disconnected: new AbortController().signal };

/** A size above the limit for decoding in this thread. */
const LARGE = 70_000;

function decoding(worker: URL = WORKER): WriteDecoding & Disposable {
  const decoding = new BodyDecoding({
    decoders: WRITE_DECODERS,
    worker,
    limits: limits as unknown as ServerSettings,
  });
  return Object.assign(decoding, { [Symbol.dispose]: () => decoding.close() });
}

function bodyOf(value: unknown, spaces = 0): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(value) + " ".repeat(spaces));
}

async function apiErrorOf(promise: Promise<unknown>): Promise<ApiError> {
  const error = await promise.then(() => assert.fail("not rejected"), (error: unknown) => error);
  assert.ok(error instanceof ApiError, String(error));
  return error;
}

const WRITE = {
  events: [{ type: "t", identifiers: { a: ["1", "2"] }, payload: "\u20ac\0" }, { type: "u", payload: "" }],
  conditions: [{ failIfEventsMatch: [{ types: ["t"] }], afterSequence: 3, store: "s" }, {}],
  projections: { create: [{ type: "p", id: "1", payload: "" }] },
};

Deno.test("a large body is decoded to the same as a small one", async () => {
  using bodies = decoding();
  const small = await bodies.decode("write", bodyOf(WRITE), STAYING);
  assert.deepEqual(await bodies.decode("write", bodyOf(WRITE, LARGE), STAYING), small);
  const query = { query: [{ metadata: [{ name: "n", value: "v" }] }], limit: 5 };
  assert.deepEqual(
    await bodies.decode("read", bodyOf(query, LARGE), STAYING),
    await bodies.decode("read", bodyOf(query), STAYING),
  );
});

Deno.test("a large body is rejected with the same error as a small one", async () => {
  using bodies = decoding();
  const wrong: unknown[] = [
    { events: [{}] },
    { events: Array(101).fill({}) },
    { events: [{ type: "t", payload: "x".repeat(65536) }] },
    { unknown: 1 },
  ];
  for (const value of wrong) {
    const small = await apiErrorOf(bodies.decode("write", bodyOf(value), STAYING));
    const large = await apiErrorOf(bodies.decode("write", bodyOf(value, LARGE), STAYING));
    assert.deepEqual([large.code, large.detail], [small.code, small.detail]);
    assert.equal(large instanceof LimitReached, small instanceof LimitReached);
  }
});

Deno.test("the bytes of a large body are moved, not copied", async () => {
  using bodies = decoding();
  const body = bodyOf(WRITE, LARGE);
  await bodies.decode("write", body, STAYING);
  assert.equal(body.buffer.detached, true);
});

Deno.test("large bodies wait for each other, smaller ones first, and small ones for none", async () => {
  using bodies = decoding();
  const order: string[] = [];
  const decode = (name: string, spaces: number): Promise<unknown> =>
    bodies.decode("write", bodyOf(WRITE, spaces), STAYING).then(() => order.push(name));
  const large = ["a", "b", "c"].map((name) => decode(name, 3 * LARGE));
  large.push(...["d", "e", "f"].map((name) => decode(name, 2 * LARGE)));
  await decode("small", 0);
  await Promise.all(large);
  // The fourth body is the one that has waited longest.
  assert.deepEqual(order, ["small", "a", "d", "e", "b", "f", "c"]);
});

Deno.test("the body of a client that has disconnected while it waited is not decoded", async () => {
  using bodies = decoding();
  const first = bodies.decode("write", bodyOf(WRITE, LARGE), STAYING);
  const leaving = new AbortController();
  const left = bodies.decode("write", bodyOf({ unknown: 1 }, LARGE), { disconnected: leaving.signal });
  leaving.abort();
  await assert.rejects(left, ClientDisconnected);
  await first;
});

Deno.test("closing lets a body that is being decoded finish", async () => {
  const bodies = decoding();
  const decoded = Promise.all([1, 2, 3].map(() => bodies.decode("write", bodyOf(WRITE, LARGE), STAYING)));
  bodies.close();
  assert.equal((await decoded).length, 3);
});

Deno.test("a worker that cannot start fails the bodies that need it, and no other", async () => {
  const missing = decoding(new URL("./no_such_worker.ts", import.meta.url));
  for (let i = 0; i < 2; i++) {
    await assert.rejects(missing.decode("write", bodyOf(WRITE, LARGE), STAYING), /the decoding worker died/);
  }
  assert.equal((await missing.decode("write", bodyOf(WRITE), STAYING)).events.length, 2);
  missing.close();
});
