import assert from "node:assert/strict";
import fc from "fast-check";
import { ApiError } from "../../src/model/errors.ts";
import { parseJson } from "../../src/wire/json.ts";
import { parseText } from "../editions/a_write/decode_bodies.ts";
import { expectInvalid } from "./expect_rejection.ts";

Deno.test("whitespace around the value is fine, anything else after it is rejected", () => {
  assert.deepEqual(parseText(' \t\r\n{"a": [1, "x", true, null]} \t\r\n'), { a: [1, "x", true, null] });
  for (const text of ["{} {}", "{}x", "{},", "[] 1", "{}\0", "{}\u00a0"]) {
    expectInvalid(() => parseText(text), /^body is not valid JSON: /);
  }
});

Deno.test("an empty or broken body is invalid JSON", () => {
  for (
    const text of [
      "",
      " ",
      "{",
      '{"a"}',
      "[1,]",
      "{'a':1}",
      "nul",
      '"open',
      '"\\',
      "]",
      "]]]]{",
      "01",
      "NaN",
      '"\n"',
    ]
  ) {
    expectInvalid(() => parseText(text), /^body is not valid JSON: /);
  }
});

Deno.test("a byte order mark is rejected", () => {
  expectInvalid(
    () => parseJson(Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0x7d)),
    "body starts with a byte order mark",
  );
});

Deno.test("invalid UTF-8 is rejected, and the next body is not affected", () => {
  const inString: number[][] = [
    [0xff], // no lead byte
    [0xc0, 0x80], // overlong NUL
    [0xed, 0xa0, 0x80], // a surrogate
    [0xf4, 0x90, 0x80, 0x80], // above U+10FFFF
    [0xe2, 0x82], // cut short
  ];
  for (const bytes of inString) {
    expectInvalid(() => parseJson(Uint8Array.of(0x22, ...bytes, 0x22)), "body is not valid UTF-8");
  }
  expectInvalid(() => parseJson(Uint8Array.of(0x22, 0xe2)), "body is not valid UTF-8");
  assert.equal(parseText('"\u20ac \u{1f600}"'), "\u20ac \u{1f600}");
});

Deno.test("a duplicate key is rejected, and the error names it and the item", () => {
  const cases: [string, string][] = [
    ['{"events":[],"events":[]}', 'key "events" occurs twice'],
    ['{"events":[],"\\u0065vents":[]}', 'key "events" occurs twice'],
    ['{"a":{"b":1},"b":2,"a" \r\n\t: 3}', 'key "a" occurs twice'],
    ['{"events":[{},{},{},{"type":"a","type":"a"}]}', 'events[3]: key "type" occurs twice'],
    ['{"events":[{"identifiers":{"x":"1","y":["1"],"x":"2"}}]}', 'events[0]: key "x" occurs twice'],
    ['{"projections":{"create":[1,[],{"id":"a","id":"a"}]}}', 'projections.create[2]: key "id" occurs twice'],
    ['{"projections":{"create":[],"create":[]}}', 'projections: key "create" occurs twice'],
    ['{"query":[{"types":["a,b",","]},{"types":[],"types":[]}]}', 'query[1]: key "types" occurs twice'],
    ['{"__proto__":1,"__proto__":1}', 'key "__proto__" occurs twice'],
    ['{"":1,"":1}', 'key "" occurs twice'],
    ['{"\\"":1,"\\\\":1,"\\"":1}', 'key "\\"" occurs twice'],
  ];
  for (const [text, detail] of cases) expectInvalid(() => parseText(text), detail);
});

Deno.test("an error repeats only the beginning of a long key", () => {
  const key = "k".repeat(100_000);
  expectInvalid(() => parseText(`{"${key}":1,"${key}":2}`), `key "${"k".repeat(60)}..." occurs twice`);
  expectInvalid(
    () => parseText(`{"${key}":{"a":1,"a":2}}`),
    `"${"k".repeat(60)}...": key "a" occurs twice`,
  );
});

Deno.test("equal keys of different objects, and colons inside strings, are no duplicates", () => {
  const value = [{ a: { a: { a: 1 } } }, { a: ':":{"a":1,"a":2}' }, { "a:a": 1, "a": "\\", "\\": ":" }];
  assert.deepEqual(parseText(JSON.stringify(value)), value);
});

Deno.test("a key called __proto__ stays a key of its own", () => {
  for (const text of ['{"__proto__":{"x":1},"b":2}', '{"__proto__":{"x":1},"\\u0062":2}']) {
    const value = parseText(text) as object;
    assert.deepEqual(Object.keys(value), ["__proto__", "b"]);
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
  }
});

Deno.test("32 levels of nesting are parsed, 33 are rejected", () => {
  assert.ok(Array.isArray(parseText("[".repeat(32) + "]".repeat(32))));
  assert.ok(parseText('{"a":'.repeat(32) + "1" + "}".repeat(32)));
  assert.equal(parseText(`"\\"${"[".repeat(100)}"`), `"${"[".repeat(100)}`);
  assert.ok(Array.isArray(parseText(`[${"[],{},".repeat(100)}"${"[".repeat(100)}"]`)));
  for (const text of ["[".repeat(33) + "]".repeat(33), '{"a":'.repeat(33) + "1" + "}".repeat(33)]) {
    expectInvalid(() => parseText(text), "body is nested deeper than 32 levels");
  }
});

Deno.test("an object may have 256 keys, not 257", () => {
  const object = (keyCount: number): string =>
    JSON.stringify(Object.fromEntries(Array.from({ length: keyCount }, (_, i) => [`k${i}`, { x: 1, y: 2 }])));
  assert.equal(Object.keys(parseText(object(256)) as object).length, 256);
  assert.equal((parseText(`[${object(60)},${object(60)}]`) as unknown[]).length, 2);
  expectInvalid(() => parseText(`[${object(257)}]`), "body contains an object with more than 256 keys");
});

Deno.test("8 MiB of opening brackets or of keys are rejected in no time", () => {
  const keys = Array.from({ length: 700_000 }, (_, i) => `"${i.toString(36)}":1`).join(",");
  for (const text of ["[".repeat(8 << 20), '{"a":'.repeat(1 << 20), `{${keys}}`]) {
    const body = new TextEncoder().encode(text);
    const startedAt = performance.now();
    assert.throws(() => parseJson(body), ApiError);
    assert.ok(performance.now() - startedAt < 100);
  }
});

Deno.test("a key written with an escape is read as it is, whatever was read before it", () => {
  const keys = ["\\", "\n", '"', "\0", "\\n", "\na", "x\\", "x\t", "b"];
  for (const key of keys) {
    for (const literal of [JSON.stringify(key), escaped(key)]) {
      assert.deepEqual(Object.keys(parseText(`{"a":1,${literal}:2}`) as object), ["a", key]);
    }
  }
});

Deno.test("a value that JSON.stringify wrote is read back unchanged", () => {
  // The test does not compare with JSON.parse, which mishandles some escaped keys.
  const value = fc.oneof(
    fc.jsonValue({ stringUnit: "binary" }),
    fc.jsonValue({ stringUnit: fc.constantFrom("a", "\\", "n", "\n", '"') }),
    fc.dictionary(fc.constantFrom("__proto__", "constructor", "toString", "1", "0"), fc.jsonValue(), {
      noNullPrototype: true,
    }),
  );
  fc.assert(
    fc.property(value, fc.nat(3), (value, indent) => {
      const read = parseText(JSON.stringify(value, null, indent));
      assert.equal(JSON.stringify(read), JSON.stringify(value)); // makes 0 of -0
    }),
    { numRuns: 500 },
  );
});

Deno.test("a key that any object of any text carries twice is rejected, however it is spelled", () => {
  const member = fc.string({ unit: "binary" });
  fc.assert(
    fc.property(
      fc.jsonValue({ stringUnit: "binary" }),
      member,
      fc.nat(),
      fc.boolean(),
      (value, key, pick, spell) => {
        const tree = { [`k${key}`]: value };
        const count = countMembers(tree);
        const text = render(tree, { next: pick % count, spell });
        JSON.parse(text);
        expectInvalid(() => parseText(text), /key ".*" occurs twice$/s);
      },
    ),
  );
});

Deno.test("texts built from scraps of JSON are parsed as JSON.parse does or rejected", () => {
  const scraps = ["{", "}", "[", "]", ":", ",", '"a"', '"b"', '"a":', '"b":1', "1", '"', "\\", " ", "null"];
  const text = fc.array(fc.constantFrom(...scraps), { maxLength: 12 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, (text) => {
      let expected: unknown;
      try {
        expected = JSON.parse(text);
      } catch {
        expectInvalid(() => parseText(text), /^body is not valid JSON/);
        return;
      }
      // When native parsing drops a member, its colon is missing, too.
      if (colons(text) === colons(JSON.stringify(expected))) {
        assert.deepStrictEqual(parseText(text), expected);
      } else expectInvalid(() => parseText(text), /occurs twice$/);
    }),
    { numRuns: 2000 },
  );
});

function colons(text: string): number {
  return text.split(":").length;
}

function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce((count: number, inner) => count + countMembers(inner), own);
}

/** JSON text of `value` in which member number `next`, in the order of the text, occurs twice. */
function render(value: unknown, twice: { next: number; readonly spell: boolean }): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((element) => render(element, twice)).join(",")}]`;
  const members = Object.keys(value).map((key) => {
    const isTwice = twice.next-- === 0;
    const text = render((value as Record<string, unknown>)[key], twice);
    const member = `${JSON.stringify(key)}:${text}`;
    return isTwice ? `${member},${twice.spell ? escaped(key) : JSON.stringify(key)}:${text}` : member;
  });
  return `{${members.join(",")}}`;
}

function escaped(key: string): string {
  const units = Array.from({ length: key.length }, (_, i) => key.charCodeAt(i).toString(16).padStart(4, "0"));
  return `"${units.map((unit) => `\\u${unit}`).join("")}"`;
}
