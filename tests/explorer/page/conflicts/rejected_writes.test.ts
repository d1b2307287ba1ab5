import assert from "node:assert/strict";
import {
  filterOf,
  type RejectedWrite,
  rulesOf,
} from "../../../../explorer/page/conflicts/rejected_writes.ts";

function seatTaken(seat: string): RejectedWrite {
  const query = [{ types: ["SeatTaken"], identifiers: [{ name: "seat", value: seat }] }];
  return {
    time: "2026-11-27T10:00:00.000000Z",
    types: ["SeatTaken"],
    cause: "eventMatches",
    query,
    sequence: 1,
  };
}

Deno.test("writes of one rule are one line, whatever the values of their tags", () => {
  const exists: RejectedWrite = {
    time: "",
    types: [],
    cause: "exists",
    projection: { type: "seats", id: "s1" },
  };
  const two: RejectedWrite = {
    ...seatTaken("1"),
    query: [
      { types: ["A", "B"] },
      { identifiers: [{ name: "n", value: "1" }], metadata: [{ name: "by", value: "x" }] },
    ],
  };
  const every: RejectedWrite = { ...seatTaken("1"), query: "*" };
  const rules = rulesOf([seatTaken("1"), exists, two, seatTaken("2"), every, {
    ...every,
    cause: "otherStore",
  }]);
  assert.deepEqual(rules.map(({ asks, count }) => [asks, count]), [
    ["no SeatTaken of the same seat", 2],
    ["the version of a projection of type seats", 1],
    ["no A or B, or no event of the same n and @by", 1],
    ["no event at all", 1],
    ["the store that was read", 1],
  ]);
});

Deno.test("the query of a rejected write is a filter", () => {
  const query = [{ types: ["A"], metadata: [{ name: "by", value: "x" }] }, { types: ["B"] }];
  assert.deepEqual(filterOf(query).alternatives, [
    { types: ["A"], tags: [{ kind: "metadata", name: "by", value: "x" }] },
    { types: ["B"], tags: [] },
  ]);
  assert.deepEqual(filterOf("*").alternatives, []);
});
