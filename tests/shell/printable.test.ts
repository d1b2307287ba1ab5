import assert from "node:assert/strict";
import fc from "fast-check";
import type { StoredEvent } from "../../client/mod.ts";
import { cellsOf, cut, padded } from "../../src/shell/output/cells.ts";
import { EventTable } from "../../src/shell/output/event_table.ts";
import { jsonLine, printable } from "../../src/shell/output/printable.ts";

const RUNS = Deno.env.get("EVENTSTORE_LONG_TESTS") === "1" ? 5000 : 100;

/** Texts with many control characters of terminals, and halves of characters. */
const nasty = fc.string({
  unit: fc.oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    fc.constantFrom(
      "\x1b",
      "\x9b",
      "\x7f",
      "\n",
      "\r",
      "\t",
      "\u202e",
      "\u2066",
      "\u2028",
      "\ufeff",
      "\u{e0041}",
      "\\",
    ),
    fc.constantFrom("\ud800", "\udc00", "e\u0301", "\u5b57", "\u{1f600}", "\ue000"),
  ),
  maxLength: 40,
});

Deno.test("what a terminal would obey is shown as escapes, and everything else as it is", () => {
  assert.equal(printable("\x1b[31m\x9b\x7f\r\n\t"), "\\u001b[31m\\u009b\\u007f\\r\\n\\t");
  assert.equal(printable("\u202eabc\u2066\u2028\ufeff\ud800"), "\\u202eabc\\u2066\\u2028\\ufeff\\ud800");
  assert.equal(printable("\u{e0041}"), "\\udb40\\udc41");
  const harmless = 'a \\ " \u00e4 \u00e9 \u5b57 \u{1f600} e\u0301';
  assert.equal(printable(harmless), harmless);
});

Deno.test("no text gets anything past it, and JSON stays the same value", () => {
  fc.assert(
    fc.property(nasty, (text) => {
      assert.doesNotMatch(printable(text), /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u);
      const line = jsonLine({ text });
      assert.equal(line.indexOf("\n"), line.length - 1);
      assert.doesNotMatch(line.trimEnd(), /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u);
      assert.deepEqual(JSON.parse(line), { text });
    }),
    { numRuns: RUNS },
  );
});

Deno.test("no column of a table is obeyed, not even those that the server fills in", () => {
  const evil = "\x1b[31m\n";
  const identifiers = { [evil]: [evil, evil] };
  const event = { sequence: evil, time: evil, type: evil, identifiers, metadata: {}, payload: evil };
  const rows = new EventTable().rows([event as unknown as StoredEvent]);
  assert.equal(rows.split("\n").length, 3, rows);
  // deno-lint-ignore no-control-regex -- this is what must not be there
  assert.doesNotMatch(rows, /\x1b/);
});

Deno.test("a text that is cut fits, and one that fits is not cut", () => {
  assert.equal(cut("abcd", 4), "abcd");
  assert.equal(cut("abcde", 4), "abc\u2026");
  assert.equal(cut("\u5b57\u5b57\u5b57", 4), "\u5b57\u2026", "a wide character is not halved");
  assert.equal(cut("\u2705\u2705", 3), "\u2705\u2026", "a picture is wide, too");
  assert.equal(cut("e\u0301e\u0301", 2), "e\u0301e\u0301");
  assert.equal(padded("\u5b57", 4), "\u5b57  ");
  fc.assert(
    fc.property(nasty, fc.integer({ min: 1, max: 30 }), (text, cells) => {
      const shown = cut(text, cells);
      assert.ok(cellsOf(shown) <= cells, JSON.stringify(shown));
      if (cellsOf(text) <= cells) assert.equal(shown, text);
      else assert.ok(shown.endsWith("\u2026") && text.startsWith(shown.slice(0, -1)));
    }),
    { numRuns: RUNS },
  );
});
