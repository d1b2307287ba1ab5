import assert from "node:assert/strict";
import type { Reply } from "../../support/connection.ts";
import { assertRejected } from "../../support/replies.ts";
import { type ContractEdition, type ContractTest, ITEM_BYTES_MAX, mustBe, type Subject } from "./edition.ts";

/** Changes that make a valid body invalid. */
const spoilt: readonly [cause: string, spoil: (body: string) => string | Uint8Array][] = [
  ["empty", () => ""],
  ["white space only", () => " \n"],
  ["cut short", (body) => body.slice(0, -1)],
  ["followed by a second value", (body) => `${body} {}`],
  ["followed by a comma", (body) => `${body},`],
  ["followed by a comment", (body) => `${body} // x`],
  ["followed by a NUL", (body) => `${body}\0`],
  ["holding a trailing comma", (body) => body.replace(/}$/, ",}")],
  ["holding a raw control character in a string", (body) => body.replace("#", "\n")],
  ["holding a lone surrogate", (body) => body.replace("#", "\\ud800")],
  ["single-quoted", (body) => body.replaceAll('"', "'")],
  ["a string", (body) => JSON.stringify(body)],
  ["wrapped in an array", (body) => `[${body}]`],
  ["null", () => "null"],
  ["carrying an unknown key", (body) => body.replace(/}$/, ',"x":1}')],
  ["carrying a key in another case", (body) => body.replace(/^\{"(.)/, (_, key) => `{"${key.toUpperCase()}`)],
  ["naming a key twice", (body) => body.replace(/}$/, `,${body.slice(1)}`)],
  ["led by a byte order mark", (body) => `\ufeff${body}`],
  ["UTF-16", (body) => Uint8Array.from([...body].flatMap((unit) => [unit.charCodeAt(0), 0]))],
  ["not UTF-8", (body) => Uint8Array.from(body, (unit) => unit === "#" ? 0xff : unit.charCodeAt(0))],
];
const READ = '{"query":[{"types":["#"]}]}';
const EVENTS = '{"events":[{"type":"#","payload":""}]}';

/** Tests of bodies: strict JSON, the rules of events, sizes. */
export function contractOfBodies(edition: ContractEdition, test: ContractTest): void {
  const send = ({ client }: Subject, body: string | Uint8Array): Promise<Reply> =>
    edition.sendEvents(client, body);

  test("a body that is no strict JSON object of known keys is 400, and nothing is written", async (subject) => {
    for (const [cause, spoil] of spoilt) {
      for (const reply of [await subject.read(spoil(READ)), await send(subject, spoil(EVENTS))]) {
        assert.equal(reply.status, 400, `${cause}: ${reply.text}`);
        assertRejected(reply, 400, "InvalidRequest", /./);
      }
    }
    assert.deepEqual(await subject.payloads(), []);
  });

  test("the same bodies without these changes are accepted, with white space around them and any Content-Type", async (subject) => {
    mustBe(200, await send(subject, ` \n${EVENTS}\r\n\t`));
    const headers = { "content-type": "image/png" };
    const reply = await subject.client.request("QUERY", "/events", { body: ` ${READ} `, headers });
    assert.equal(mustBe(200, reply).text.trimEnd().split("\n").length, 2);
  });

  const many = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [String(i), ""]));
  const invalid: readonly [cause: string, event: unknown, message: RegExp][] = [
    ["missing type", { payload: "" }, /type/],
    ["empty type", { type: "", payload: "" }, /type/],
    ["missing payload", { type: "t" }, /payload/],
    ["null payload", { type: "t", payload: null }, /payload/],
    ["payload that is no string", { type: "t", payload: {} }, /payload/],
    ["unknown key", { type: "t", payload: "", sequence: 1 }, /sequence/],
    ["empty array of values", { type: "t", payload: "", identifiers: { a: [] } }, /identifiers/],
    ["null among values", { type: "t", payload: "", metadata: { a: ["1", null] } }, /metadata/],
    ["duplicate tag", { type: "t", payload: "", identifiers: { a: ["1", "1"] } }, /identifiers/],
    ["over 20 identifiers", { type: "t", payload: "", identifiers: many }, /20/],
    ["over 20 metadata entries", { type: "t", payload: "", metadata: many }, /20/],
  ];
  test("an invalid event is 400, named by its position, and nothing is written", async (subject) => {
    for (const [cause, event, message] of invalid) {
      const reply = await send(subject, JSON.stringify({ events: [{ type: "t", payload: "" }, event] }));
      assert.equal(reply.status, 400, cause);
      assertRejected(reply, 400, "InvalidRequest", /^events\[1\]/);
      assertRejected(reply, 400, "InvalidRequest", message);
    }
    assert.deepEqual(await subject.payloads(), []);
  });

  test("20 identifiers and 20 metadata entries fit on one event, a name counted once per value", async (subject) => {
    const letters = [..."abcdefghijklmnopqrst"];
    await subject.append(
      { type: "t", identifiers: { a: letters }, metadata: { a: letters }, payload: "" },
      { type: "t", identifiers: Object.fromEntries(letters.map((name) => [name, ""])), payload: "" },
    );
    const tags = { a: letters.slice(1), b: ["1", "2"] };
    for (const more of [{ identifiers: tags }, { metadata: tags }]) {
      const reply = await send(subject, JSON.stringify({ events: [{ type: "t", payload: "", ...more }] }));
      assertRejected(reply, 400, "InvalidRequest", /^events\[0\]: .*20/);
    }
  });

  test("maxEventSize is inclusive: one byte more is 413, and nothing is written", async (subject) => {
    const ofBytes = (bytes: number): unknown => ({
      type: "t\u00e9",
      identifiers: { "\u{1f600}": ["1", "2"] },
      metadata: { m: "\u20ac" },
      payload: "x".repeat(bytes - 3 - 10 - 4),
    });
    const events = [{ type: "t", payload: "" }, ofBytes(ITEM_BYTES_MAX + 1)];
    const message = "events[1] is 101 bytes, more than maxEventSize (100)";
    assertRejected(await send(subject, JSON.stringify({ events })), 413, "PayloadTooLarge", message);
    assert.deepEqual(await subject.payloads(), []);
    await subject.append(ofBytes(ITEM_BYTES_MAX));
    // Events are checked in order, each for its rules and then for its size.
    const inOrder = JSON.stringify({ events: [{ type: "t" }, ofBytes(ITEM_BYTES_MAX + 1)] });
    assertRejected(await send(subject, inOrder), 400, "InvalidRequest", /^events\[0\]/);
  });

  test("the cap on bodies is inclusive, with and without a length, in reads and writes", async (subject) => {
    const { bytes, message } = edition.bodyCap;
    for (const chunkBytes of [0, 10_000]) {
      const request = (body: string): Promise<Reply> =>
        subject.client.request("QUERY", "/events", { body, chunkBytes });
      mustBe(200, await request(READ.padEnd(bytes)));
      assertRejected(await request(READ.padEnd(bytes + 1)), 413, "PayloadTooLarge", message);
    }
    mustBe(200, await send(subject, EVENTS.padEnd(bytes)));
    assertRejected(await send(subject, EVENTS.padEnd(bytes + 1)), 413, "PayloadTooLarge", message);
    assert.equal((await subject.payloads()).length, 1);
  });

  test("the cap holds on endpoints that need no body", async ({ client }) => {
    const { bytes, message } = edition.bodyCap;
    for (const target of ["/health", "/projections/t/a"]) {
      const reply = await client.request("GET", target, { body: "x".repeat(bytes + 1) });
      assertRejected(reply, 413, "PayloadTooLarge", message);
    }
  });

  test("a body that is only announced is rejected without waiting for it", async ({ client }) => {
    const { bytes, message } = edition.bodyCap;
    for (const target of ["/health", "/projections/t/a"]) {
      using announced = await client.begin("GET", target, {
        headers: { "content-length": String(bytes + 1) },
      });
      assertRejected(await announced.readReply("GET"), 413, "PayloadTooLarge", message);
    }
  });
}
