import assert from "node:assert/strict";
import fc from "fast-check";
import { parse, stringify } from "smol-toml";
import { KeyPlaces } from "../../src/config/key_places.ts";

/** The place as `line:column`, in a text that the parser accepts. */
function placeIn(text: string, ...path: string[]): string | undefined {
  parse(text);
  const place = new KeyPlaces(text).of(path);
  return place && `${place.line}:${place.column}`;
}

Deno.test("a section and a key below it are placed at their names", () => {
  const text = "# head\n\n[server]\n  port = 1\n";
  assert.equal(placeIn(text, "server"), "3:2");
  assert.equal(placeIn(text, "server", "port"), "4:3");
  assert.equal(placeIn(text, "port"), undefined);
});

Deno.test("lines that end in CR LF count once", () => {
  assert.equal(placeIn("a = 1\r\n\r\n[server]\r\nport = 1", "server", "port"), "4:1");
});

Deno.test("a key in a comment is no key", () => {
  const text = "# port = 1\n[server] # port = 2 ]\nx = 1 # port = 3\nport = 4";
  assert.equal(placeIn(text, "server", "port"), "4:1");
});

Deno.test("quoted keys are placed under the name that they spell", () => {
  assert.equal(placeIn('"a = 1" = 2\n', "a = 1"), "1:1");
  assert.equal(placeIn("'a#b' = 2\n", "a#b"), "1:1");
  assert.equal(placeIn('["ser\\u0076er"]\n"po\\"rt" = 1\n', "server", 'po"rt'), "2:1");
});

Deno.test("every part of a dotted key and of a dotted header has its own place", () => {
  const text = 'server.port = 1\n[ x . "y.z" ]\nw = 1\n';
  assert.equal(placeIn(text, "server"), "1:1");
  assert.equal(placeIn(text, "server", "port"), "1:8");
  assert.equal(placeIn(text, "x"), "2:3");
  assert.equal(placeIn(text, "x", "y.z"), "2:7");
  assert.equal(placeIn(text, "x", "y.z", "w"), "3:1");
});

Deno.test("arrays over several lines hide no key behind them", () => {
  const text = 'a = [ # ]\n  [1, 2], "]", # b = 1\n  { in = 1 },\n]\nb = 2\n';
  assert.equal(placeIn(text, "b"), "5:1");
  assert.equal(placeIn(text, "a", "in"), "3:5");
});

Deno.test("multi-line strings hide no key behind them, whatever they hold", () => {
  const basic = 'a = """\nport = 1\n\\""" [x]\n"" """""\nport = 2\n';
  assert.equal(placeIn(basic, "port"), "5:1");
  const literal = "a = '''\nport = 1\n\\'''\nport = 2\n";
  assert.equal(placeIn(literal, "port"), "4:1");
  assert.equal(placeIn("a = \"\"\"\"\"\"\nb = ''''''\nport = 2\n", "port"), "3:1");
});

Deno.test("strings on one line hide no key behind them", () => {
  const text = `a = "\\" # [x" # y\nb = '\\' # z\nc = ""\nd = ''\nport = 1\n`;
  assert.equal(placeIn(text, "port"), "5:1");
});

Deno.test("keys of inline tables are placed", () => {
  const text = 'server = { port = 1, tls.on = true, "x" = {} }\nbackup = {}\n';
  assert.equal(placeIn(text, "server", "port"), "1:12");
  assert.equal(placeIn(text, "server", "tls", "on"), "1:26");
  assert.equal(placeIn(text, "server", "x"), "1:37");
  assert.equal(placeIn(text, "backup"), "2:1");
});

Deno.test("dates, numbers and booleans hide no key behind them", () => {
  const text =
    "a = 1979-05-27 07:32:00Z\nb = 1979-05-27T07:32:00.5-07:00\nc = -1_000.5e-3\nd = true\ne = inf\n" +
    "f = [1979-05-27 07:32:00, 2]\nport = 1";
  assert.equal(placeIn(text, "port"), "7:1");
});

Deno.test("the first place of a key counts, also in a list of tables", () => {
  const text = "[[x]]\ny = 1\n[[x]]\ny = 2\n";
  assert.equal(placeIn(text, "x"), "1:3");
  assert.equal(placeIn(text, "x", "y"), "2:1");
});

Deno.test("every key of any document is placed at a text that spells it", () => {
  const key = fc.oneof(
    fc.constantFrom("server", "port", "__proto__", "a.b", "", "#", '"', "'", "=", "[x]", "\u00e9"),
    fc.string(),
  );
  const scalar = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.double({ noNaN: true }),
    fc.constant('"""'),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      scalar,
      fc.array(scalar, { maxLength: 3 }),
      fc.array(tie("table"), { minLength: 1, maxLength: 3 }),
      tie("table"),
    ),
    table: fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: false }),
  }));
  fc.assert(fc.property(fc.dictionary(key, value, { maxKeys: 5 }), (document) => {
    const text = stringify(document);
    const places = new KeyPlaces(text);
    const lines = text.split("\n");
    for (const path of pathsOf(parse(text), [])) {
      const place = places.of(path);
      assert.ok(place, `${JSON.stringify(path)} has no place in\n${text}`);
      const rest = lines[place.line - 1]!.slice(place.column - 1);
      const spelled = /^(?:[\w-]+|"(?:\\.|[^"\\])*"|'[^']*')/.exec(rest)?.[0] ?? "";
      assert.deepEqual(Object.keys(parse(`${spelled} = 1`)), [path.at(-1)], text);
    }
  }));
});

function* pathsOf(value: unknown, path: string[]): Generator<string[]> {
  if (Array.isArray(value)) {
    for (const element of value) yield* pathsOf(element, path);
  } else if (typeof value === "object" && value !== null && !(value instanceof Date)) {
    for (const [key, inner] of Object.entries(value)) {
      yield [...path, key];
      yield* pathsOf(inner, [...path, key]);
    }
  }
}
