import assert from "node:assert/strict";
import { yamlText } from "../../tools/openapi/yaml.ts";

/* A test in tests/system/ reads the documents back with the linter's YAML parser. */

Deno.test("objects and lists are nested by indentation", () => {
  const text = yamlText({ a: { b: [1, { c: true, d: null }, []], e: {} }, f: [["x"], {}] });
  const expected = ["a:", "  b:", "    - 1", "    - c: true", "      d: null", "    - []", "  e: {}"];
  assert.equal(text, [...expected, "f:", "  -", "    - x", "  - {}", ""].join("\n"));
});

Deno.test("text that YAML would take for something else is quoted", () => {
  const odd = [
    "",
    "true",
    "No",
    "1",
    "1.0",
    "-",
    "- a",
    "a: b",
    "a #b",
    "#a",
    "*",
    "&a",
    "!a",
    "@a",
    "a ",
    " a",
    "~",
  ];
  for (const text of odd) assert.equal(yamlText({ a: text }), `a: ${JSON.stringify(text)}\n`);
  assert.equal(yamlText({ "404": 1, "a b": 2, $ref: 3 }), '"404": 1\n"a b": 2\n$ref: 3\n');
});

Deno.test("text with double quotes stands between single ones", () => {
  assert.equal(yamlText({ a: '{"b":"c"}' }), `a: '{"b":"c"}'\n`);
  assert.equal(yamlText({ a: `"it's"` }), `a: "\\"it's\\""\n`);
});

Deno.test("plain text is not quoted", () => {
  for (const text of ["word", "two words", "QUERY /events", "http://127.0.0.1:8085"]) {
    assert.equal(yamlText({ a: text }), `a: ${text}\n`);
  }
});

Deno.test("lines stay lines, and long prose is folded", () => {
  assert.equal(yamlText({ a: "one\n\ntwo" }), "a: |-\n  one\n\n  two\n");
  assert.equal(yamlText({ a: "one\ntwo\n" }), "a: |\n  one\n  two\n");
  const words = Array.from({ length: 40 }, () => "word");
  const lines = yamlText({ a: words.join(" ") }).trimEnd().split("\n");
  assert.equal(lines[0], "a: >-");
  assert.equal(lines.slice(1).map((line) => line.trim()).join(" "), words.join(" "));
  assert.ok(lines.every(({ length }) => length <= 110));
});
