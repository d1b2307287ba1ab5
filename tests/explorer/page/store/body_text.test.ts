import assert from "node:assert/strict";
import { bodyText } from "../../../../explorer/page/store/body_text.ts";

const LINE = "0123456789\n";

/** An answer in pieces, and a function that says if its reader cancelled it. */
function answerOf(pieces: readonly string[]): { response: Response; wasLeft: () => boolean } {
  let wasLeft = false;
  const rest = pieces.map((piece) => new TextEncoder().encode(piece));
  const body = new ReadableStream({
    pull(controller) {
      const piece = rest.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    },
    cancel: () => void (wasLeft = true),
  }, { highWaterMark: 0 });
  return { response: new Response(body), wasLeft: () => wasLeft };
}

Deno.test("an answer is read as a whole, or left once it is too large", async () => {
  const small = answerOf([LINE, LINE, "0123"]);
  assert.deepEqual(await bodyText(small.response), { text: `${LINE}${LINE}0123`, isLeft: false });
  const large = answerOf([LINE, LINE, LINE, "0123"]);
  assert.deepEqual(await bodyText(large.response, 15), { text: LINE + LINE, isLeft: true });
  assert.deepEqual([small.wasLeft(), large.wasLeft()], [false, true]);
});

Deno.test("the first line is read as a whole, however long it is", async () => {
  const { response } = answerOf(["0123", "4567", "89\nab", "cd\n"]);
  assert.deepEqual(await bodyText(response, 2), { text: "0123456789\nab", isLeft: true });
});

Deno.test("a character that comes in two pieces is one, and no body is no text", async () => {
  const bytes = new TextEncoder().encode("\u00e9\n");
  const body = new ReadableStream({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  assert.deepEqual(await bodyText(new Response(body)), { text: "\u00e9\n", isLeft: false });
  assert.deepEqual(await bodyText(new Response(null, { status: 204 })), { text: "", isLeft: false });
});
