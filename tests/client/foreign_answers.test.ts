import assert from "node:assert/strict";
import { ConnectionLost, Refused } from "../../client/mod.ts";
import { ownError, type ScriptedAnswer, ScriptedTransport } from "./faulty_transport.ts";
import { failure, note, storeOver } from "./support.ts";

/** Answers that a proxy between the client and the server may give, and the class of error that each becomes. */
const FOREIGN: readonly (readonly [answer: ScriptedAnswer, type: unknown, message?: string])[] = [
  [{ status: 502, body: "<html>bad gateway</html>" }, ConnectionLost, "<html>bad gateway</html>"],
  [{ status: 504, body: "" }, ConnectionLost, "HTTP504"],
  [{ status: 500, body: '{"error":"InternalError"}' }, ConnectionLost],
  [{ status: 503, body: '{"error":"ServiceUnavailable"}' }, ConnectionLost],
  [{ status: 503, body: '{"error":"Service Unavailable","status":503}' }, ConnectionLost],
  [{ status: 503, body: '{"error":"Unavailable"}' }, ConnectionLost],
  [{ status: 503, body: '{"error":"WriteQueueFull","message":"m"}' }, ConnectionLost],
  [{ status: 503, body: "", headers: { "x-service-error": "" } }, ConnectionLost, "HTTP503"],
  [{ status: 200, body: "<html>password?</html>", headers: { "x-service-store": "s" } }, ConnectionLost],
  [{ status: 202, body: "{}" }, ConnectionLost],
  [{ status: 302, body: "", headers: { location: "/login" } }, Refused, "a redirect to /login"],
  [{ status: 401, body: '{"error":"Unauthorized"}' }, Refused],
  [{ status: 404, body: "nothing here\n" }, Refused, "nothing here"],
  [{ status: 408, body: '{"error":"RequestTimeout"}' }, Refused],
  [
    { status: 409, body: '{"error":"ConcurrencyException","conflict":{"condition":0,"sequence":1}}' },
    Refused,
  ],
  [{ status: 413, body: '{"error":"PayloadTooLarge"}' }, Refused],
  [{ status: 429, body: '{"error":"TooManyRequests"}' }, Refused],
];

Deno.test("an error that is not the server's own says nothing about the write, which is not repeated", async () => {
  for (const [answer, type, message = answer.body] of FOREIGN) {
    const transport = new ScriptedTransport(answer);
    const error = await failure(storeOver(transport).append(note("1")));
    assert.equal(error.constructor, type, message);
    assert.deepEqual([error.code, error.message], [`HTTP${answer.status}`, message]);
    assert.deepEqual([error.conflict, error.outcomeUnknown, transport.requests.length], [undefined, true, 1]);
    const deleting = new ScriptedTransport(answer);
    const other = await failure(storeOver(deleting).projections.deleteAll());
    assert.deepEqual([other.outcomeUnknown, deleting.requests.length], [true, 1], message);
  }
});

Deno.test("an error code that the client does not know leaves the outcome unknown", async () => {
  for (const [status, type] of [[503, ConnectionLost], [500, ConnectionLost], [409, Refused]] as const) {
    const transport = new ScriptedTransport(ownError(status, "OfALaterServer", { message: "why" }));
    const error = await failure(storeOver(transport).append(note("1")));
    assert.equal(error.constructor, type);
    assert.deepEqual([error.code, error.message, error.outcomeUnknown], ["OfALaterServer", "why", true]);
    assert.equal(transport.requests.length, 1);
  }
});

Deno.test("a read that failed at a proxy is repeated if the failure may pass, and changes nothing", async () => {
  const body = '{"hasMore":false}\n';
  const page = { status: 200, body, headers: { "x-service-store": "s", "x-service-head": "3" } };
  for (const [answer, type] of FOREIGN) {
    const transport = new ScriptedTransport(answer, page);
    const reading = storeOver(transport).head();
    if (type === ConnectionLost) assert.equal((await reading).sequence, 3);
    else assert.equal((await failure(reading)).outcomeUnknown, false);
    assert.equal(transport.requests.length, type === ConnectionLost ? 2 : 1);
  }
});
