import assert from "node:assert/strict";
import {
  areOfToday,
  COLUMNS,
  hiddenColumns,
  widthsOf,
} from "../../../../explorer/page/events/row_columns.ts";
import type { Tag } from "../../../../explorer/page/filter/tag.ts";
import type { StoredEvent } from "../../../../explorer/page/store/stored_event.ts";

function tag(name: string, value: string, kind: Tag["kind"] = "identifiers"): Tag {
  return { kind, name, value };
}

Deno.test("a column is as wide as its text, within limits", () => {
  const event = { sequence: 12_345_678, type: "OrderPlaced" };
  assert.deepEqual(widthsOf(event, []), { sequence: 8, type: 11, tags: 3.5 });
  // order:o1 and @by:web, each with 3.5 characters around it, and the faded end.
  const tags = [tag("order", "o1"), tag("by", "web", "metadata")];
  assert.equal(widthsOf(event, tags).tags, 8 + 3.5 + 7 + 3.5 + 3.5);
  // A long tag is cut at 48 characters, the column at 130, a type at 36.
  assert.equal(widthsOf(event, [tag("order", "x".repeat(80))]).tags, 48 + 3.5 + 3.5);
  assert.equal(widthsOf(event, Array(9).fill(tag("order", "x".repeat(80)))).tags, 130);
  assert.equal(widthsOf({ sequence: 1, type: "T".repeat(200) }, []).type, 36);
});

Deno.test("the stored choice of columns is read, whatever it holds", () => {
  assert.deepEqual([...hiddenColumns(null)], []);
  assert.deepEqual([...hiddenColumns("payload time")], ["time", "payload"]);
  assert.deepEqual([...hiddenColumns("<b> sequence metadata")], ["metadata"]);
  assert.deepEqual([...hiddenColumns(COLUMNS.join(" "))], [...COLUMNS]);
});

Deno.test("rows need dates unless all of them are of today", () => {
  const today = new Date(2026, 10, 27, 12);
  const at = (day: number): StoredEvent => ({
    sequence: 1,
    time: new Date(2026, 10, day, 12).toISOString(),
    type: "T",
    identifiers: {},
    metadata: {},
    payload: "",
  });
  assert.equal(areOfToday([], today), true);
  assert.equal(areOfToday([at(27), at(27)], today), true);
  assert.equal(areOfToday([at(27), at(26)], today), false);
  assert.equal(areOfToday([at(26), at(26)], today), false);
});
