import assert from "node:assert/strict";
import fc from "fast-check";
import {
  beginningOf,
  contains,
  type Direction,
  endOf,
  positionBefore,
  positionBehind,
  type Range,
  restOf,
  seenOf,
  sortedFor,
  startOf,
} from "../../../../src/store/core/ranges/direction.ts";

/** The sequences of a range in the order of a search. */
function walked({ after, upTo }: Range, direction: Direction): number[] {
  const sequences = Array.from({ length: upTo - after }, (_, i) => after + 1 + i);
  return direction === "forwards" ? sequences : sequences.toReversed();
}

const range = fc.tuple(fc.nat(30), fc.nat(30)).map(([a, b]): Range => ({
  after: Math.min(a, b),
  upTo: Math.max(a, b),
}));
const direction = fc.constantFrom<Direction>("forwards", "backwards");

Deno.test("a position divides a range into a searched part and the rest", () => {
  fc.assert(fc.property(range, direction, (range, direction) => {
    const all = walked(range, direction);
    assert.deepEqual(walked(seenOf(range, startOf(range, direction), direction), direction), []);
    assert.deepEqual(restOf(range, startOf(range, direction), direction), range);
    for (const [i, sequence] of all.entries()) {
      const [before, behind] = [positionBefore(sequence, direction), positionBehind(sequence, direction)];
      assert.deepEqual(walked(restOf(range, before, direction), direction), all.slice(i));
      assert.deepEqual(walked(restOf(range, behind, direction), direction), all.slice(i + 1));
      assert.deepEqual(walked(seenOf(range, behind, direction), direction), all.slice(0, i + 1));
    }
    if (all.length === 0) return;
    assert.equal(startOf(range, direction), positionBefore(all[0]!, direction));
    assert.equal(endOf(range, direction), positionBehind(all.at(-1)!, direction));
  }));
});

Deno.test("the beginning of a range is the part that a search sees first", () => {
  fc.assert(fc.property(range, direction, fc.nat(40), (range, direction, events) => {
    const expected = walked(range, direction).slice(0, events);
    assert.deepEqual(walked(beginningOf(range, events, direction), direction), expected);
  }));
});

Deno.test("sequences are sorted for a search, and a range contains its own", () => {
  const given = [9, 2, 10, 1, 2];
  assert.deepEqual([...sortedFor(given, "forwards")], [1, 2, 2, 9, 10]);
  assert.deepEqual([...sortedFor(given, "backwards")], [10, 9, 2, 2, 1]);
  assert.deepEqual([1, 2, 3, 9, 10].filter((each) => contains({ after: 2, upTo: 9 }, each)), [3, 9]);
});
