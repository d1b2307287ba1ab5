import assert from "node:assert/strict";
import { assertRejected, UUID } from "../../support/replies.ts";
import { type ContractEdition, type ContractTest, eventOf, PAGE_MAX } from "./edition.ts";

/** Tests of queries: what they find, and which are rejected. */
export function contractOfQueries(edition: ContractEdition, test: ContractTest): void {
  matching(test);
  literals(edition, test);
  rejections(edition, test);
}

function matching(test: ContractTest): void {
  const cases: readonly [name: string, query: unknown, payloads: string[]][] = [
    ["types are alternatives", [{ types: ["t", "u"] }], ["1", "2", "3"]],
    ["identifiers are needed all", [{ identifiers: [tag("a", "1"), tag("a", "2")] }], ["2"]],
    ["keys of an item are needed all", [{ types: ["t"], identifiers: [tag("a", "1")] }], ["1"]],
    ["items are alternatives, each event comes once", [{ types: ["t"] }, { metadata: [tag("a", "1")] }], [
      "1",
      "4",
    ]],
    ["an identifier is no metadata entry", [{ metadata: [tag("a", "1")] }], ["4"]],
    ["values are compared byte for byte", [{ types: ["T"] }, { identifiers: [tag("a", "1 ")] }], []],
    ["duplicate items count once", Array(101).fill({ types: ["t"] }), ["1"]],
    ["an item may hold 100 values", [{ types: ["t", ...Array(99).fill("x")] }], ["1"]],
  ];
  test("a query finds the events that match", async (subject) => {
    await subject.append(
      eventOf("t", "1", { a: "1" }),
      eventOf("u", "2", { a: ["1", "2"] }),
      eventOf("u", "3", { a: "2" }),
      { type: "v", metadata: { a: "1" }, payload: "4" },
    );
    for (const [name, query, payloads] of cases) {
      assert.deepEqual(await subject.payloads(query), payloads, name);
    }
  });
}

function literals(edition: ContractEdition, test: ContractTest): void {
  const { every, none } = edition;
  test(`the literal "${every}" is every event`, async (subject) => {
    await subject.append(eventOf("t", "1"), eventOf("u", "2"));
    assert.deepEqual(await subject.payloads(every), ["1", "2"]);
  });
  if (none !== undefined) {
    test(`the literal "${none}" is no event`, async (subject) => {
      await subject.append(eventOf("t", "1"));
      assert.deepEqual(await subject.payloads(none), []);
      assert.match((await subject.page(none)).store ?? "", UUID);
    });
  }
  test("no other string is a query", async (subject) => {
    for (const literal of [...edition.foreignLiterals, "", `${every} `]) {
      assertRejected((await subject.page(literal)).reply, 400, "InvalidRequest", /query/);
    }
  });
}

function rejections(edition: ContractEdition, test: ContractTest): void {
  const queries: readonly [cause: string, query: unknown, message: RegExp][] = [
    ["null", null, /query/],
    ["an object", { types: ["t"] }, /query/],
    ["an empty array", [], /query/],
    ["an empty item", [{ types: ["t"] }, {}], /query\[1\]/],
    ["an item that is a string", [edition.every], /query\[0\]/],
    ["empty types", [{ types: [] }], /query\[0\].*types/],
    ["empty identifiers", [{ types: ["t"], identifiers: [] }], /query\[0\].*identifiers/],
    ["empty metadata", [{ types: ["t"], metadata: [] }], /query\[0\].*metadata/],
    ["a type that is no string", [{ types: [1] }], /query\[0\]/],
    ["an entry without value", [{ identifiers: [{ name: "a" }] }], /value/],
    ["an entry without name", [{ metadata: [{ value: "a" }] }], /name/],
    ["an unknown key in an item", [{ types: ["t"], not: true }], /not/],
    ["an unknown key in an entry", [{ metadata: [{ ...tag("a", "b"), x: 1 }] }], /x/],
    ["over 100 items", numbers(101).map((type) => ({ types: [type] })), /100/],
    ["over 100 values in an item", [{ types: ["t"] }, { types: numbers(101) }], /query\[1\].*100/],
    ["a key in another case", [{ Types: ["t"] }], /Types/],
    ["the tags of an event", [{ identifiers: { a: "1" } }], /query\[0\].*identifiers/],
  ];
  const { every: query } = edition;
  const ranges: readonly [cause: string, body: unknown, message: RegExp][] = [
    ["query missing", { limit: 1 }, /query/],
    ["negative afterSequence", { query, afterSequence: -1 }, /afterSequence/],
    ["fractional afterSequence", { query, afterSequence: 1.5 }, /afterSequence/],
    ["afterSequence as a string", { query, afterSequence: "1" }, /afterSequence/],
    ["limit below 1", { query, limit: 0 }, /limit/],
    ["beforeSequence below 1", { query, beforeSequence: 0 }, /beforeSequence/],
    ["beforeSequence as a string", { query, beforeSequence: "9" }, /beforeSequence/],
    ["headAtLeast below 0", { query, headAtLeast: -1 }, /headAtLeast/],
    ["headAtLeast as a string", { query, headAtLeast: "9" }, /headAtLeast/],
    ["backwards that is no boolean", { query, backwards: 1 }, /backwards/],
    ["limit above maxEventsPerPage", { query, limit: PAGE_MAX + 1 }, /maxEventsPerPage/],
    ["unknown key", { query, order: "desc" }, /order/],
  ];
  test("an invalid query and an invalid range are 400, and the message names the fault", async ({ client }) => {
    const cases = [
      ...queries.map(([cause, query, message]) => [cause, { query }, message] as const),
      ...ranges,
    ];
    for (const [cause, json, message] of cases) {
      const reply = await client.request("QUERY", "/events", { json });
      assert.equal(reply.status, 400, cause);
      assertRejected(reply, 400, "InvalidRequest", message);
    }
  });
}

const tag = (name: string, value: string): { name: string; value: string } => ({ name, value });
const numbers = (count: number): string[] => Array.from({ length: count }, (_, i) => String(i));
