import assert from "node:assert/strict";
import fc from "fast-check";
import { parseJson } from "../../src/wire/json.ts";
import { LargeArray, LargeObject } from "../../src/wire/large_json.ts";
import { parseText } from "../editions/a_write/decode_bodies.ts";
import { expectInvalid } from "./expect_rejection.ts";

/** More values than are built at once. */
const MANY = 5000;

const MANY_TEXT = `[${"0,".repeat(MANY)}0]`;

/** Builds the whole of a parsed value. */
function built(value: unknown): unknown {
  if (value instanceof LargeArray) return value.map(built);
  if (value instanceof LargeObject) {
    return Object.fromEntries(value.keys().map((key) => [key, built(value.get(key))]));
  }
  return value;
}

Deno.test("few values are built at once; of a body of more than 1 MiB each item is", () => {
  const item = { payload: "x".repeat(1 << 20), tags: ["\u20ac\0"] };
  const value = parseText(JSON.stringify({ events: [item, item] })) as LargeObject;
  const events = value.get("events") as LargeArray;
  assert.deepEqual(events.map((event) => event), [item, item]);
  const small = { events: [{ ...item, payload: "x".repeat(900_000) }] };
  assert.deepEqual(parseText(JSON.stringify(small)), small);
});

Deno.test("many values are counted before any of them is built, and then built one by one", () => {
  const value = parseText(` [ ${"{},".repeat(MANY)} broken ] `) as LargeArray;
  assert.ok(value instanceof LargeArray);
  assert.equal(value.length, MANY + 1);
  const [first] = value.entries();
  assert.deepEqual(first, [0, {}]);
  expectInvalid(() => built(value), /^\[5000\]: the item is not valid JSON: Unexpected token/);
});

Deno.test("an object of many values knows its keys, and builds a value when it is asked for", () => {
  const value = parseText(`{ "a" : ${MANY_TEXT} , "\\u0062":{"x":[1]}, "__proto__" : nonsense }`);
  assert.ok(value instanceof LargeObject);
  assert.deepEqual(value.keys(), ["a", "b", "__proto__"]);
  assert.deepEqual(value.get("b"), { x: [1] });
  assert.equal((value.get("a") as LargeArray).length, MANY + 1);
  assert.equal(value.get("c"), undefined);
  expectInvalid(() => value.get("__proto__"), /^"__proto__": the item is not valid JSON/);
});

Deno.test("a text of many values is read as JSON.parse reads it, wherever they are", () => {
  const small = fc.jsonValue({ stringUnit: "grapheme" });
  fc.assert(
    fc.property(
      fc.array(small, { minLength: 1, maxLength: 8 }),
      fc.nat(2),
      fc.nat(2),
      (values, shape, indent) => {
        const many = Array.from({ length: MANY }, (_, i) => values[i % values.length]);
        const value = [many, { a: values[0], b: many, c: values }, [values, [{ d: many }], values]][shape];
        const text = JSON.stringify(value, null, indent);
        assert.equal(JSON.stringify(built(parseText(text))), JSON.stringify(JSON.parse(text)));
      },
    ),
    { numRuns: 20 },
  );
});

Deno.test("a long text without values is empty, however its white space is spread", () => {
  const space = " \n".repeat(1 << 20);
  for (const text of [`{}${space}`, `${space}{}`, `{${space}}`, `[]${space}`, `${space}[]`, `[${space}]`]) {
    assert.equal(JSON.stringify(built(parseText(text))), text.replaceAll(/\s/g, ""));
  }
  for (const text of [`{${space}`, `[${space}`, `{${space}]`, `[${space}}`, `{${space},}`, `[${space},]`]) {
    expectInvalid(() => built(parseText(text)), / is not valid JSON: /);
  }
});

Deno.test("a text of many values that is not JSON is rejected", () => {
  const zeros = "0,".repeat(MANY);
  const texts = [
    `[${zeros}]`,
    `[${zeros}0`,
    `[${zeros}0}`,
    `[${zeros}0] 1`,
    `[${zeros}0],`,
    `[${zeros}0]]`,
    `[[${zeros}0]`,
    `[,${zeros}0]`,
    `[${zeros},0]`,
    `[${zeros}0 1]`,
    `[${zeros}{"a":1]]`,
    `[${zeros}"open]`,
    `${zeros}0`,
    `{"a":${MANY_TEXT},}`,
    `{"a":${MANY_TEXT}`,
    `{"a":${MANY_TEXT}]`,
    `{"a" ${MANY_TEXT}}`,
    `{a:${MANY_TEXT}}`,
    `{"a":${MANY_TEXT},1:2}`,
    `{"a":${MANY_TEXT}}}`,
    `{:${MANY_TEXT}}`,
    `{"\n":${MANY_TEXT}}`,
  ];
  for (const text of texts) {
    assert.throws(() => JSON.parse(text), text.slice(-20));
    expectInvalid(() => built(parseText(text)), / is not valid JSON: /);
  }
});

Deno.test("invalid UTF-8 among many values is rejected", () => {
  const bytes = new TextEncoder().encode(`[${"0,".repeat(MANY)}"x"]`);
  bytes[bytes.length - 3] = 0xff;
  expectInvalid(() => built(parseJson(bytes)), "body is not valid UTF-8");
});

Deno.test("a key that occurs twice is named with its item, in a large object and inside a large array", () => {
  expectInvalid(() => parseText(`{"a":1,"\\u0061":${MANY_TEXT}}`), 'key "a" occurs twice');
  const items = "{},".repeat(MANY);
  expectInvalid(
    () => built(parseText(`{"events":[${items}{"type":"a","type":"b"}]}`)),
    `events[${MANY}]: key "type" occurs twice`,
  );
  expectInvalid(
    () => built(parseText(`{"projections":{"create":[${items}{"id":{"x":1,"x":2}}]}}`)),
    `projections.create[${MANY}]: key "x" occurs twice`,
  );
});
