import assert from "node:assert/strict";
import type { Query } from "../../../src/model/query.ts";
import { parseJson } from "../../../src/wire/json.ts";
import {
  decodeProjectionWrite,
  decodeTxEvents,
  decodeTxRead,
  decodeUnversionedChanges,
} from "../../../src/editions/b_tx/tx_requests.ts";
import { expectInvalid, expectRejection } from "../../wire/expect_rejection.ts";

const limits = {
  maxEventSize: 10,
  maxTagsPerEvent: 20,
  rejectEmails: false,
  maxEventsPerTx: 3,
  maxProjectionSize: 10,
  maxProjectionsPerWrite: 3,
};

function json(text: string): unknown {
  return parseJson(new TextEncoder().encode(text));
}

const readOf = (text: string): Query => decodeTxRead(json(text));

Deno.test("a read in a transaction takes a query and nothing else", () => {
  assert.equal(readOf('{"query":"all"}'), "every");
  assert.equal(readOf('{"query":"none"}'), "none");
  assert.deepEqual(readOf('{"query":[{"types":["a"]},{"types":["a"]}]}'), [
    { types: ["a"], identifiers: [], metadata: [] },
  ]);
  for (const key of ["afterSequence", "limit", "time", "store"]) {
    expectInvalid(() => readOf(`{"query":"all","${key}":1}`), `unknown key "${key}"`);
  }
});

Deno.test("the query of a read in a transaction must be given", () => {
  for (const text of ["{}", '{"query":null}']) expectInvalid(() => readOf(text), "query is missing");
  expectInvalid(() => readOf("[]"), "body must be an object, not an array");
});

Deno.test('of the literals only "all" and "none" stand for a query, byte for byte', () => {
  for (const literal of ["*", "ALL", "None", "", "every"]) {
    expectInvalid(() => readOf(JSON.stringify({ query: literal })), /^query must be "all" or "none" or a/);
  }
  expectInvalid(() => readOf('{"query":[]}'), /^query is an empty array/);
  expectInvalid(() => readOf('{"query":[{}]}'), /^query\[0\]: an item needs at least one/);
});

Deno.test("a write of events takes an array of events, which may be empty", () => {
  assert.deepEqual(decodeTxEvents(json('{"events":[]}'), limits), []);
  assert.deepEqual(decodeTxEvents(json('{"events":[{"type":"a","payload":""}]}'), limits), [
    { type: "a", identifiers: [], metadata: [], payload: "" },
  ]);
  expectInvalid(() => decodeTxEvents(json("{}"), limits), "events is missing");
  expectInvalid(() => decodeTxEvents(json('{"events":null}'), limits), "events must be an array, not null");
  expectInvalid(() => decodeTxEvents(json('{"events":[],"conditions":[]}'), limits), /^unknown key/);
});

Deno.test("projections in a transaction carry no version", () => {
  const changes = {
    create: [{ type: "t", id: "1", payload: "" }],
    replace: [{ type: "t", id: "2", payload: "p" }],
    delete: [{ type: "t", id: "3" }],
  };
  assert.deepEqual(decodeUnversionedChanges(changes, limits), changes);
  assert.deepEqual(decodeUnversionedChanges({}, limits), { create: [], replace: [], delete: [] });
  for (const list of ["create", "replace", "delete"] as const) {
    const item = { ...changes[list][0], version: "v" };
    expectInvalid(
      () => decodeUnversionedChanges({ [list]: [item] }, limits),
      `${list}[0]: unknown key "version"`,
    );
  }
  for (const list of ["create", "replace"]) {
    for (const payload of [undefined, null]) {
      expectInvalid(
        () => decodeUnversionedChanges({ [list]: [{ type: "t", id: "1", payload }] }, limits),
        /^(create|replace)\[0\]: payload /,
      );
    }
  }
});

Deno.test("projections outside a transaction need versions, and their number is checked before they are", () => {
  const version = "v";
  const changes = {
    create: [{ type: "t", id: "1", payload: "" }],
    replace: [{ type: "t", id: "2", version, payload: "" }],
    delete: [{ type: "t", id: "3", version }],
  };
  assert.deepEqual(decodeProjectionWrite(changes, limits), changes);
  expectInvalid(
    () => decodeProjectionWrite({ ...changes, create: [...changes.create, {}] }, limits),
    "request carries 4 projections, more than maxProjectionsPerWrite (3)",
  );
  for (const list of ["replace", "delete"] as const) {
    const { version: _, ...item } = changes[list][0]!;
    expectInvalid(() => decodeProjectionWrite({ [list]: [item] }, limits), `${list}[0]: version is missing`);
  }
  expectRejection(
    () => decodeProjectionWrite({ create: [{ type: "t", id: "1", payload: "x".repeat(9) }] }, limits),
    "PayloadTooLarge",
    "create[0] is 11 bytes, more than maxProjectionSize (10)",
  );
});

Deno.test("more events or projections than a transaction can hold are rejected before any is looked at", () => {
  const events = [{}, {}, {}, {}];
  const tooMany = "the transaction has more events than maxEventsPerTx (3)";
  expectInvalid(() => decodeTxEvents({ events }, limits), tooMany);
  const deletes = { delete: Array(10_001).fill({}) };
  const tooManyProjections = "the transaction reads and writes more than 10000 projections";
  expectInvalid(() => decodeUnversionedChanges(deletes, limits), tooManyProjections);
});
