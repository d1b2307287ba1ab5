import assert from "node:assert/strict";
import { lineChart } from "../../bench/plots/line_chart.ts";
import { Scale } from "../../bench/plots/scale.ts";
import { element } from "../../bench/plots/svg.ts";
import { type GrowthRows, growthText, ratioOf, type Size } from "../../bench/growth/report.ts";
import type { Measured } from "../../bench/measure.ts";

/**
 * A strict parser for the syntax of the charts: elements with attributes in double quotes, and text with character
 * references. @returns the names of the elements and the texts between them
 */
function parse(document: string): { readonly names: string[]; readonly texts: string[] } {
  const [names, texts, open]: string[][] = [[], [], []];
  const token = /<(\/?)([a-z]+)((?: [a-zA-Z0-9-]+="[^"<]*")*)(\/?)>|([^<>]+)/y;
  while (token.lastIndex < document.length) {
    const at = token.lastIndex;
    const [, close, name, attributes, empty, text] = token.exec(document) ??
      assert.fail(document.slice(at, at + 80));
    const raw = `${attributes ?? ""}${text ?? ""}`;
    assert.doesNotMatch(raw, /&(?!amp;|lt;|gt;|quot;|#39;)/);
    if (text !== undefined) texts!.push(text);
    else if (close === "/") assert.equal(open!.pop(), name);
    else {
      names!.push(name!);
      const keys = [...raw.matchAll(/ ([a-zA-Z0-9-]+)="/g)].map(([, key]) => key);
      assert.equal(new Set(keys).size, keys.length, `an attribute twice: ${raw}`);
      if (empty !== "/") open!.push(name!);
    }
  }
  assert.deepEqual(open, [], "elements that are not closed");
  return { names: names!, texts: texts! };
}

const CHART = {
  title: 'reads & "writes" <1 ms',
  xTitle: "clients",
  yTitle: "requests/s",
  xLabels: ["1", "8", "64", "<256>"],
  series: [
    { name: "write & <script>alert('x')</script>", values: [1, 20, 300, 4000.5] },
    { name: "a control character: \u0001, half a pair: \ud800", values: [2, undefined, 0.5, undefined] },
  ],
};

Deno.test("a chart is well-formed, and text stays text", () => {
  for (const logarithmic of [false, true]) {
    const svg = lineChart({ ...CHART, logarithmic });
    const { names, texts } = parse(svg);
    assert.equal(names[0], "svg");
    assert.equal(names.filter((name) => name === "polyline").length, 2);
    // A dot for each value, and one in the legend for each line.
    assert.equal(names.filter((name) => name === "circle").length, 6 + 2);
    assert.ok(!names.includes("script"));
    assert.ok(texts.includes("reads &amp; &quot;writes&quot; &lt;1 ms"));
    assert.ok(texts.includes("a control character: ?, half a pair: \ufffd"));
    assert.doesNotMatch(svg, /NaN|undefined|Infinity/);
  }
});

Deno.test("a chart needs nothing from elsewhere and has colours for light and dark", () => {
  const svg = lineChart(CHART);
  assert.match(svg, /prefers-color-scheme: dark/);
  assert.doesNotMatch(svg.replace('xmlns="http://www.w3.org/2000/svg"', ""), /https?:|url\(|@import|href/);
});

Deno.test("every value lies between the axes", () => {
  for (const logarithmic of [false, true]) {
    for (const highest of [0.003, 0.9999, 1, 3, 7, 10, 999, 22_001, 1e6]) {
      const scale = new Scale([highest / 3, highest], logarithmic, 300, 0);
      assert.ok(scale.ticks.length >= 2 && scale.ticks.length <= 8, `${scale.ticks} for ${highest}`);
      assert.ok(scale.ticks.at(-1)! >= highest * (1 - 1e-6), `${scale.ticks} for ${highest}`);
      assert.ok(scale.at(highest) < scale.at(highest / 3) && scale.at(highest) >= 0);
      assert.ok(scale.at(highest / 3) <= 300);
    }
  }
  assert.deepEqual(new Scale([], true, 300, 0).ticks.at(0), 0);
});

Deno.test("an attribute that holds anything is escaped", () => {
  const { markup } = element("text", { "data-name": `a"b<c>&'` }, "x");
  assert.equal(markup, '<text data-name="a&quot;b&lt;c&gt;&amp;&#39;">x</text>');
});

const rate = (requestsPerSecond: number, p99Milliseconds = 1): Measured => ({
  eventsPerSecond: requestsPerSecond,
  requestsPerSecond,
  p50Milliseconds: 1,
  p99Milliseconds,
  p999Milliseconds: 1,
  serverMicroseconds: 50.4,
});

function size(events: number, rows: GrowthRows, reference: GrowthRows): Size {
  return {
    events,
    fillSeconds: 2,
    databaseBytes: 5e8,
    start: { seconds: 0.2, rssBytes: 6e7 },
    rows,
    reference,
  };
}

const SIZES = [
  size(0, { oneEvent8: rate(1000) }, {}),
  size(1_000_000, { oneEvent8: rate(1700), conditionCheck: rate(500, 2.5) }, {
    oneEvent8: rate(2000),
    conditionCheck: rate(1000),
  }),
];

Deno.test("the ratio of a row is that to the reference of the same size, and 1 of an empty store", () => {
  assert.deepEqual(SIZES.map((size) => ratioOf(size, "oneEvent8")), [1, 0.85]);
  assert.deepEqual(SIZES.map((size) => ratioOf(size, "conditionCheck")), [undefined, 0.5]);
});

Deno.test("the tables of the growth say which aims are missed", () => {
  const lines = growthText(SIZES).split("\n");
  assert.ok(
    lines.includes(
      "| write 1 event on a condition, 8 clients | 1,000/s, 50 us, 1.00 | 1,700/s, 50 us, 0.85 |",
    ),
  );
  assert.ok(
    lines.includes("| write that its condition rejects, 1 client |  | 500/s, 50 us, 0.50 (missed) |"),
  );
  assert.ok(lines.includes("| rejected write, p99 ms |  | 2.50 (aim 2 missed) |"));
  assert.ok(lines.includes("| filled in process, events/s |  | 500,000 |"));
});
