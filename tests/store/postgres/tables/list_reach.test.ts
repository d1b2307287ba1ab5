import assert from "node:assert/strict";
import type { TermItem } from "../../../../src/store/core/index_terms.ts";
import type { Cell, Row } from "../../../../src/store/postgres/protocol/cells.ts";
import { ListReach } from "../../../../src/store/postgres/tables/list_reach.ts";

const COUNTED = 64;

function numberCell(value: number): Cell {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigInt64(0, BigInt(value));
  return new Uint8Array(view.buffer);
}

/** PostgreSQL's answer: how many entries each term has, at most 64, and where the last of these is. */
function answer(...lists: readonly (readonly [seen: number, reached: number])[]): Row[] {
  return lists.map(([seen, reached], place) => [place, seen, reached].map(numberCell));
}

Deno.test("the sparsest of an item's lists is walked, and its terms are looked up in that order", () => {
  const item: TermItem = { allOf: ["dense", "sparse", "short"], anyOf: ["type"] };
  const lists = answer([COUNTED, 100], [COUNTED, 5000], [3, 90], [COUNTED, 800]);
  const reach = new ListReach([item], { after: 0, upTo: 10_000 }, "forwards");
  assert.equal(reach.statements.length, 1);
  assert.deepEqual(reach.read([lists]), [
    { terms: { allOf: ["short", "sparse", "dense"], anyOf: ["type"] }, lists: [["short"]] },
  ]);
});

Deno.test("backwards, the sparsest list is the one that reaches furthest down", () => {
  const item: TermItem = { allOf: ["dense", "sparse"], anyOf: [] };
  const reach = new ListReach([item], { after: 0, upTo: 10_000 }, "backwards");
  const [sought] = reach.read([answer([COUNTED, 9900], [COUNTED, 2000])]);
  assert.deepEqual(sought, { terms: { allOf: ["sparse", "dense"], anyOf: [] }, lists: [["sparse"]] });
});

Deno.test("several types are one list, as dense as the densest of them", () => {
  const item: TermItem = { allOf: ["tag"], anyOf: ["rare", "frequent"] };
  const range = { after: 0, upTo: 10_000 };
  const byTag = new ListReach([item], range, "forwards").read([
    answer([COUNTED, 500], [2, 9], [COUNTED, 300]),
  ]);
  assert.deepEqual(byTag[0]!.lists, [["tag"]]);
  const byTypes = new ListReach([item], range, "forwards").read([
    answer([COUNTED, 500], [2, 9], [COUNTED, 900]),
  ]);
  assert.deepEqual(byTypes[0]!.lists, [["rare", "frequent"]]);
});

Deno.test("items of one list need no query", () => {
  const items: TermItem[] = [{ allOf: ["tag"], anyOf: [] }, { allOf: [], anyOf: ["a", "b"] }];
  const reach = new ListReach(items, { after: 0, upTo: 10_000 }, "forwards");
  assert.deepEqual(reach.statements, []);
  assert.deepEqual(reach.read([]).map(({ lists }) => lists), [[["tag"]], [["a", "b"]]]);
});
