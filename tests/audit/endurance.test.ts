import assert from "node:assert/strict";
import { chartsOf } from "../../audit/endurance/charts.ts";
import { flatnessOf } from "../../audit/endurance/flatness.ts";
import type { Sample } from "../../audit/endurance/sample.ts";
import { lineChart } from "../../bench/plots/line_chart.ts";

const LENGTH = 100;

/** A run in which nothing grows but the events and their file. */
function flat(change: (i: number) => Partial<Sample> = () => ({})): Sample[] {
  return Array.from({ length: LENGTH }, (_, i) => ({
    seconds: (i + 1) * 5,
    life: 3,
    events: 1000 + 500 * i,
    rssMib: 140 + i % 7,
    descriptors: 60 + i % 3,
    databaseBytes: 1e6 + 200_000 * i,
    walBytes: 4e6 + (i % 5) * 1e5,
    writes: { count: 150, medianMilliseconds: 4 + i % 2, p99Milliseconds: 20 + i % 5 },
    reads: { count: 100, medianMilliseconds: 3, p99Milliseconds: 12 },
    loadAverage: 1,
    othersShare: 0.03,
    waitingShare: 0.3,
    ...change(i),
  }));
}

Deno.test("a run that stays flat has no faults", () => {
  assert.deepEqual(flatnessOf(flat()), { faults: [], isJudged: true, isTimeChecked: true });
});

const latencies = (medianMilliseconds: number, p99Milliseconds: number) => ({
  count: 100,
  medianMilliseconds,
  p99Milliseconds,
});

const growing: readonly [what: string, change: (i: number) => Partial<Sample>, fault: RegExp][] = [
  ["memory", (i) => ({ rssMib: 140 + 2 * i }), /^memory: \d+ MiB in the second quarter, /],
  ["descriptors", (i) => ({ descriptors: 60 + i }), /^descriptors: /],
  ["the log", (i) => ({ walBytes: 4e6 + 4e5 * i }), /^write-ahead log: /],
  ["the file per event", (i) => ({ databaseBytes: 1e6 + 2000 * i * i }), /^growth of the file: /],
  ["the median of writes", (i) => ({ writes: latencies(4 + i / 8, 20) }), /^median of writes: /],
  ["the p99 of writes", (i) => ({ writes: latencies(4, 20 + 3 * i) }), /^p99 of writes: /],
  ["the median of reads", (i) => ({ reads: latencies(3 + i / 8, 12) }), /^median of reads: /],
  ["the p99 of reads", (i) => ({ reads: latencies(3, 12 + 3 * i) }), /^p99 of reads: /],
];
for (const [what, change, fault] of growing) {
  Deno.test(`a run is not flat when this grows: ${what}`, () => {
    const { faults } = flatnessOf(flat(change));
    assert.equal(faults.length, 1, faults.join("\n"));
    assert.match(faults[0]!, fault);
  });
}

Deno.test("memory that still grows slowly at the end is not flat, and memory that stops growing is", () => {
  /** An hour. */
  const hour = (memory: (hours: number) => number): Sample[] =>
    flat((i) => ({ seconds: i * 36, rssMib: memory(i / LENGTH) + i % 7 }));
  for (const perHour of [0, 20]) {
    const { faults, growth } = flatnessOf(hour((hours) => 150 + perHour * hours));
    assert.deepEqual(faults, []);
    assert.ok(Math.abs(growth! - perHour) < 5, String(growth));
  }
  const { faults } = flatnessOf(hour((hours) => 150 + 60 * hours));
  assert.match(faults.join("\n"), /^memory grows by \d\d MiB an hour in the last third, and may by 30$/);
  assert.deepEqual(flatnessOf(hour((hours) => 200 - 50 * Math.exp(-8 * hours))).faults, []);
});

Deno.test("latencies are not checked while other programs occupy the processors", () => {
  const slower = (i: number): Partial<Sample> => ({ writes: latencies(4 + i, 20 + i), waitingShare: 0.6 });
  assert.deepEqual(flatnessOf(flat(slower)), { faults: [], isJudged: true, isTimeChecked: false });
});

Deno.test("values that cannot be compared are not flat", () => {
  assert.match(flatnessOf(flat(() => ({ rssMib: NaN }))).faults.join(), /memory: NaN/);
  assert.match(flatnessOf(flat(() => ({ events: 1000 }))).faults.join(), /growth of the file/);
});

Deno.test("only the last life of the server is checked, and only when it is long enough", () => {
  const restarted = flat((i) => ({ life: i < 5 ? 2 : 3, rssMib: i < 5 ? 10 : 140 }));
  assert.equal(flatnessOf(restarted).isJudged, true);
  assert.deepEqual(flatnessOf(restarted).faults, []);
  const late = flat((i) => ({ life: i < 50 ? 2 : 3, rssMib: 140 + 2 * i }));
  assert.deepEqual(flatnessOf(late), { faults: [], isJudged: false, isTimeChecked: false });
});

Deno.test("the charts show every edition that was recorded, over the whole time", () => {
  const charts = chartsOf({ A: flat(), B: flat().slice(0, 50) });
  assert.deepEqual(Object.keys(charts).length, 6);
  for (const [name, chart] of Object.entries(charts)) {
    assert.equal(chart.xLabels.length, 20, name);
    for (const { values } of chart.series) assert.equal(values.length, 20, name);
    assert.doesNotMatch(lineChart(chart), /NaN|undefined|Infinity/, name);
  }
  const [a, b] = charts["endurance_memory"]!.series;
  assert.deepEqual([a!.name, b!.name], ["edition A", "edition B"]);
  assert.ok(a!.values.every((value) => value! >= 140));
  assert.equal(b!.values.filter((value) => value !== undefined).length, 10);
});
