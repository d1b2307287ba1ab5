import assert from "node:assert/strict";
import type { Reply } from "../../src/http/exchange.ts";
import { jsonReply } from "../../src/http/replies.ts";
import { ClientDisconnected, OutcomeUnknown } from "../../src/model/errors.ts";
import { setUp, streamOf } from "./fake_pipeline.ts";

async function textOf(body: Reply["body"]): Promise<string> {
  let text = "";
  for await (const piece of body as AsyncIterable<Uint8Array>) text += new TextDecoder().decode(piece);
  return text;
}

Deno.test("each request is one line in the log: path as sent without its query, size, level debug for success", async () => {
  const { send, lines } = setUp({ "GET /a": () => jsonReply(200, "\u00e9") });
  await send({ target: "/a?secret=1" });
  const { milliseconds, ...line } = lines[0]!;
  assert.ok(milliseconds >= 0 && milliseconds < 1000);
  assert.deepEqual(line, { level: "debug", method: "GET", path: "/a", status: 200, bytes: 4 });
  assert.equal(lines.length, 1);
});

Deno.test("a stream is logged when it has ended, with the bytes that were sent, also when it fails or is given up", async () => {
  async function* broken(): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
    yield* streamOf("12345");
    throw new Error("broken");
  }
  const { send, lines } = setUp({
    "GET /whole": () => ({ status: 200, headers: {}, body: streamOf("123", "45") }),
    "GET /broken": () => ({ status: 200, headers: {}, body: broken() }),
  });
  const whole = await send({ target: "/whole" });
  assert.equal(lines.length, 0);
  assert.equal(await textOf(whole.body), "12345");
  assert.equal(lines[0]?.bytes, 5);
  const failing = await send({ target: "/broken" });
  await assert.rejects(textOf(failing.body), /broken/);
  assert.equal(lines[1]?.bytes, 5);
  const givenUp = await send({ target: "/whole" });
  for await (const piece of givenUp.body as AsyncIterable<Uint8Array>) {
    assert.equal(piece.length, 3);
    break;
  }
  assert.deepEqual(lines.map(({ bytes }) => bytes), [5, 5, 3]);
});

Deno.test("a request that must not be answered stays unanswered, and has its line", async () => {
  const { send, lines, reasons } = setUp({
    "GET /left": () => Promise.reject(new ClientDisconnected()),
    "GET /unknown": () => Promise.reject(new OutcomeUnknown("the COMMIT failed")),
  });
  await assert.rejects(send({ target: "/left" }), ClientDisconnected);
  await assert.rejects(send({ target: "/unknown" }), OutcomeUnknown);
  assert.deepEqual(lines.map(({ level, status, bytes }) => [level, status, bytes]), [
    ["debug", 499, 0],
    ["error", 500, 0],
  ]);
  assert.deepEqual(reasons, ["/unknown 500: the outcome is unknown; there was no answer"]);
});

Deno.test("a stream that fails in the middle is reported, one whose client disconnected is not", async () => {
  async function* failing(error: Error): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    yield new Uint8Array(1);
    await Promise.resolve();
    throw error;
  }
  const reply = (error: Error): Reply => ({ status: 200, headers: {}, body: failing(error) });
  const { send, reported } = setUp({
    "GET /broken": () => reply(new Error("the disk is gone")),
    "GET /left": () => reply(new ClientDisconnected()),
  });
  for (const target of ["/broken", "/left"]) {
    const { body } = await send({ target });
    await assert.rejects(Array.fromAsync(body as AsyncIterable<Uint8Array>));
  }
  assert.deepEqual(reported.map(({ message }) => message), ["the disk is gone"]);
});
