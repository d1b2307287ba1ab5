import assert from "node:assert/strict";
import { RANGES, Series } from "../../../../explorer/page/health/series.ts";

Deno.test("a day of samples each second is kept in few points for each range, and peaks stay", () => {
  const series = new Series();
  const day = 86_400;
  for (let at = 1; at <= 2 * day; at++) series.add(at, at === 2 * day - 7200 ? 1000 : at % 7);
  for (const range of RANGES) {
    const { points, gapSeconds } = series.pointsOf(range);
    assert.ok(points.length <= 152, `${points.length} points for ${range.name}`);
    assert.ok(points.length >= 149, `${points.length} points for ${range.name}`);
    assert.ok(points[0]!.at >= 2 * day - range.seconds);
    assert.equal(points.at(-1)!.at, 2 * day);
    const most = Math.max(...points.map(({ value }) => value));
    assert.equal(most, range.seconds > 7200 ? 1000 : 6, range.name);
    for (const [i, { at }] of points.entries()) assert.ok(i === 0 || at - points[i - 1]!.at <= gapSeconds);
  }
});

Deno.test("a time without samples is a gap", () => {
  const series = new Series();
  for (const at of [0, 1, 2, 100, 101]) series.add(at, 1);
  const { points, gapSeconds } = series.pointsOf(RANGES[0]);
  assert.ok(points.some(({ at }, i) => i > 0 && at - points[i - 1]!.at > gapSeconds));
});
