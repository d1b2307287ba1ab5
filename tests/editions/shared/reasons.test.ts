import assert from "node:assert/strict";
import fc from "fast-check";
import type { ServerSettings } from "../../../src/config/load.ts";
import { WRITE_DECODERS } from "../../../src/editions/a_write/write_request.ts";
import { TX_DECODERS } from "../../../src/editions/b_tx/tx_requests.ts";
import { TICKET_DECODERS } from "../../../src/editions/c_ticket/ticket_requests.ts";
import { reasonFor } from "../../../src/http/request_reports.ts";
import { ApiError } from "../../../src/model/errors.ts";
import { parseJson } from "../../../src/wire/json.ts";
import { limits } from "../a_write/decode_bodies.ts";

const decoders: readonly ((body: unknown, limits: ServerSettings) => unknown)[] = [
  ...Object.values(WRITE_DECODERS),
  ...Object.values(TX_DECODERS),
  ...Object.values(TICKET_DECODERS),
];

const KEYS = (
  "events conditions projections create replace delete type id identifiers metadata payload query types name " +
  "value failIfEventsMatch afterSequence beforeSequence store limit waitSeconds headAtLeast backwards time from before version " +
  "condition"
).split(" ");

const SECRET = "SECRET";
const SECRET_NUMBER = 987654321;

/** Random text of a client that looks like parts of a message. */
const secretText = fc.array(
  fc.constantFrom(
    '"',
    "\\",
    ": ",
    "\n",
    ". ",
    "[0]",
    " is not valid JSON: ",
    "key ",
    SECRET,
    " at position 1",
    "\u00e9",
  ),
  { maxLength: 6 },
).map((parts) => `${SECRET}${parts.join("")}${SECRET}`);

const { body: anyBody } = fc.letrec<{ body: unknown; list: unknown; value: unknown }>((tie) => ({
  value: fc.oneof(
    { withCrossShrink: true },
    secretText,
    fc.constantFrom(SECRET_NUMBER, null, true, [], {}, "*"),
    tie("list"),
    tie("body"),
  ),
  list: fc.array(tie("value"), { maxLength: 3 }),
  body: fc.dictionary(
    fc.oneof({ arbitrary: fc.constantFrom(...KEYS), weight: 6 }, secretText),
    tie("value"),
    {
      maxKeys: 4,
      noNullPrototype: true,
    },
  ),
}));

/** The text of a body, whole or broken at a random position: cut off there, or with an inserted word. */
const anyText = fc.tuple(anyBody, fc.nat(), fc.constantFrom("whole", "cut", "word", "twice")).map(
  ([body, at, fault]) => {
    const text = JSON.stringify(body);
    const index = at % (text.length + 1);
    if (fault === "whole") return text;
    if (fault === "cut") return text.slice(0, index);
    if (fault === "word") return `${text.slice(0, index)}${SECRET}${text.slice(index)}`;
    return text.replaceAll(/\{"([^"\\]*)":/g, '{"$1":1,"$1":');
  },
);

Deno.test("the reason of a rejection repeats nothing of the body, whatever it is", () => {
  let rejections = 0;
  fc.assert(fc.property(anyText, fc.constantFrom(...decoders), (text, decode) => {
    try {
      decode(parseJson(new TextEncoder().encode(text)), limits as unknown as ServerSettings);
    } catch (error) {
      assert.ok(error instanceof ApiError, String(error));
      const reason = reasonFor(400, error) ?? "";
      assert.doesNotMatch(reason, /SECRET|SECRE|987654321/, reason);
      rejections++;
    }
  }));
  assert.ok(rejections > 0);
});

Deno.test("a reason keeps the path of the item at fault, and the description of the fault", () => {
  const reason = (detail: string): string | undefined =>
    reasonFor(400, new ApiError("InvalidRequest", detail));
  for (
    const detail of [
      "events[3]: payload is missing",
      "request carries 101 events, more than maxEventsPerWrite (100)",
    ]
  ) {
    assert.equal(reason(detail), detail);
  }
  assert.equal(
    reason('projections.create[2]: key "a\\"b" occurs twice'),
    'projections.create[2]: key "..." occurs twice',
  );
  assert.equal(
    reasonFor(413, new ApiError("PayloadTooLarge", "the body is too long")),
    "the body is too long",
  );
  assert.equal(reasonFor(500, new Error("SECRET")), "unexpected server error");
  assert.equal(reasonFor(409, new ApiError("ConcurrencyException", "it changed")), undefined);
});
