import assert from "node:assert/strict";
import fc from "fast-check";
import { ConfigError } from "../../src/config/config_error.ts";
import { parseToml, type TomlKey, type TomlTable, type TomlValue } from "../../src/config/toml.ts";
import { plain } from "./plain_toml.ts";

/** The first position of a key, as `line:column`. In a list of tables, the first table with the key counts. */
function placeIn(text: string, ...path: string[]): string | undefined {
  const [name = "", ...rest] = path;
  const found = rest.reduce<TomlKey | undefined>(
    (key, inner) => key && tablesIn(key.value).find((table) => table.has(inner))?.get(inner),
    parseToml("config.toml", text).get(name),
  );
  return found && `${found.line}:${found.column}`;
}

function tablesIn(value: TomlValue): TomlTable[] {
  if (Array.isArray(value)) return value.flatMap(tablesIn);
  return value instanceof Map ? [value] : [];
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

Deno.test("arrays over several lines hide no key after them", () => {
  const text = 'a = [ # ]\n  [1, 2], "]", # b = 1\n  { in = 1 },\n]\nb = 2\n';
  assert.equal(placeIn(text, "b"), "5:1");
  assert.equal(placeIn(text, "a", "in"), "3:5");
});

Deno.test("multi-line strings hide no key after them, whatever they hold", () => {
  const basic = 'a = """\nport = 1\n\\""" [x]\n"" """""\nport = 2\n';
  assert.equal(placeIn(basic, "port"), "5:1");
  const literal = "a = '''\nport = 1\n\\'''\nport = 2\n";
  assert.equal(placeIn(literal, "port"), "4:1");
  assert.equal(placeIn("a = \"\"\"\"\"\"\nb = ''''''\nport = 2\n", "port"), "3:1");
});

Deno.test("strings on one line hide no key after them", () => {
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

Deno.test("dates, numbers and booleans hide no key after them", () => {
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

Deno.test("every value is what the document says, integers whatever their size", () => {
  const text = 'a = 8085\nb = 8085.0\nc = 99999999999999999999\nd = [true, "\\u00e9", 0x1F]\n' +
    "e = 1979-05-27\n[f.g]\nh = { i = 1 }\nj.k = 2\n[f]\nl = -0\n[[m]]\nn = 1\n[m.o]\np = 2\n[[m]]\n";
  assert.deepEqual(plain(parseToml("config.toml", text)), {
    a: 8085n,
    b: 8085,
    c: 99999999999999999999n,
    d: [true, "\u00e9", 31n],
    e: new Date("1979-05-27"),
    f: { g: { h: { i: 1n }, j: { k: 2n } }, l: 0n },
    m: [{ n: 1n, o: { p: 2n } }, {}],
  });
});

Deno.test("what TOML 1.1 adds is read", () => {
  const text =
    'a = {\n  b = 1, # one\n  c = 2,\n}\nd = "\\x41\\e"\ne = 07:32\nf = 2026-02-28 07:32Z\n[g]\nh = 3\n';
  const { e: _, ...rest } = plain(parseToml("config.toml", text)) as Record<string, unknown>;
  assert.deepEqual(rest, {
    a: { b: 1n, c: 2n },
    d: "A\x1b",
    f: new Date("2026-02-28T07:32:00Z"),
    g: { h: 3n },
  });
  assert.equal(placeIn(text, "a", "c"), "3:3");
  assert.equal(placeIn(text, "g", "h"), "9:1");
});

Deno.test("what is nested too deep is rejected with a place, wherever the stack ends", () => {
  for (let depth = 1000; depth <= 10_000; depth += 500) {
    const text = `a = ${"[".repeat(depth)}${"]".repeat(depth)}`;
    try {
      parseToml("config.toml", text);
    } catch (error) {
      assert.ok(error instanceof ConfigError, `${depth}: ${error}`);
      assert.equal(error.message, "config.toml:1:1: not valid TOML: Nested too deep");
    }
  }
});

Deno.test("what TOML does not allow is rejected, with its place", () => {
  const rejected: readonly (readonly [text: string, place: string])[] = [
    ["a = 1\na = 2\n", "2:1"],
    ["a = { b = 1,\n, c = 2 }\n", "2:1"],
    ["a = { b = 1,, }\n", "1:13"],
    ['a = "\\x4"\n', "1:7"],
    ["a = 07:3\n", "1:9"],
    ["a = 2026-02-29\n", "1:14"],
    ["[a]\n[b]\n[a]\n", "3:2"],
    ["a = 1\r\nb = 2\rc = 3\n", "2:6"],
    ["# a\rb = 1\n", "1:4"],
    [`a = ${"[".repeat(50_000)}${"]".repeat(50_000)}`, "1:1"],
  ];
  for (const [text, place] of rejected) {
    assert.throws(() => parseToml("config.toml", text), (error) => {
      assert.ok(error instanceof ConfigError, String(error));
      assert.ok(error.message.startsWith(`config.toml:${place}: not valid TOML: `), error.message);
      return true;
    });
  }
});

Deno.test("every value of any document is read, at a key that spells its name", () => {
  fc.assert(
    fc.property(fc.dictionary(anyKey, anyValue, { maxKeys: 5, noNullPrototype: true }), (document) => {
      const text = tomlText(document);
      const lines = text.split("\n");
      const read = parseToml("config.toml", text);
      assert.deepEqual(plain(read), document, text);
      for (const [name, { line, column }] of keysOf(read)) {
        const rest = lines[line - 1]!.slice(column - 1);
        const spelled = /^(?:[\w-]+|"(?:\\.|[^"\\])*")/.exec(rest)?.[0] ?? "";
        assert.deepEqual([...parseToml("config.toml", `${spelled} = 1`).keys()], [name], text);
      }
    }),
  );
});

const anyText = fc.string({ unit: "binary" });
const anyKey = fc.oneof(
  fc.constantFrom("server", "port", "__proto__", "a.b", "", "#", '"', "'", "=", "[x]", "\u00e9"),
  anyText,
);
const anyScalar = fc.oneof(
  anyText,
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.boolean(),
  fc.double({ noNaN: true }),
  fc.constant('"""'),
);
const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    anyScalar,
    fc.array(anyScalar, { maxLength: 3 }),
    fc.array(tie("table"), { minLength: 1, maxLength: 3 }),
    tie("table"),
  ),
  table: fc.dictionary(anyKey, tie("value"), { maxKeys: 4, noNullPrototype: true }),
}));

/** The TOML text of `document`: tables below headers, tables in arrays inline. */
function tomlText(document: object, path: readonly string[] = []): string {
  const entries = Object.entries(document);
  const isHeader = (value: unknown): value is object => typeof value === "object" && !Array.isArray(value);
  const own = entries.filter(([, value]) => !isHeader(value))
    .map(([key, value]) => `${keyText(key)} = ${valueText(value)}\n`);
  const inner = entries.filter(([, value]) => isHeader(value)).map(([key, value]) => {
    const below = [...path, keyText(key)];
    return `\n[ ${below.join(" . ")} ]\n${tomlText(value, below)}`;
  });
  return [...own, ...inner].join("");
}

function keyText(key: string): string {
  return /^[\w-]+$/.test(key) ? key : stringText(key);
}

function stringText(text: string): string {
  return JSON.stringify(text).replaceAll("\x7f", "\\u007f");
}

function valueText(value: unknown): string {
  if (typeof value === "string") return stringText(value);
  if (Array.isArray(value)) return `[${value.map(valueText).join(", ")}]`;
  if (typeof value === "number") return floatText(value);
  if (typeof value !== "object") return String(value);
  return `{ ${
    Object.entries(value!).map(([key, inner]) => `${keyText(key)} = ${valueText(inner)}`).join(", ")
  } }`;
}

function floatText(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  // JavaScript converts -0 to a text without a sign, but TOML has -0.0.
  return Object.is(value, -0) ? "-0.0" : value.toExponential();
}

function* keysOf(value: TomlValue): Generator<[name: string, key: TomlKey]> {
  for (const table of tablesIn(value)) {
    for (const [name, key] of table) {
      yield [name, key];
      yield* keysOf(key.value);
    }
  }
}
