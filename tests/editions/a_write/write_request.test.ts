import assert from "node:assert/strict";
import { readWrite } from "./decode_bodies.ts";
import { expectInvalid } from "../../wire/expect_rejection.ts";

const event = { type: "t", payload: "" };
const noProjections = { create: [], replace: [], delete: [] };

Deno.test("every key of a write may be left out", () => {
  const nothing = { events: [], conditions: [], projections: noProjections };
  for (const body of [{}, { events: null, conditions: null, projections: null }, nothing]) {
    assert.deepEqual(readWrite(body), nothing);
  }
});

Deno.test("a write keeps its events, conditions and projection changes", () => {
  const body = {
    events: [{ ...event, identifiers: { n: "1" } }, event],
    conditions: [{ failIfEventsMatch: "*" }, {}],
    projections: { delete: [{ type: "t", id: "i", version: "v" }] },
  };
  assert.deepEqual(readWrite(body), {
    events: [
      { type: "t", identifiers: [{ name: "n", value: "1" }], metadata: [], payload: "" },
      { type: "t", identifiers: [], metadata: [], payload: "" },
    ],
    conditions: [
      { failIfEventsMatch: "every", afterSequence: 0 },
      { failIfEventsMatch: "none", afterSequence: 0 },
    ],
    projections: { ...noProjections, ...body.projections },
  });
});

Deno.test("100 events, 100 conditions and 500 projections fit into one write", () => {
  const write = readWrite({
    events: Array(100).fill(event),
    conditions: Array(100).fill({}),
    projections: { create: Array.from({ length: 500 }, (_, i) => ({ type: "t", id: `${i}`, payload: "" })) },
  });
  assert.equal(write.events.length, 100);
  assert.equal(write.conditions.length, 100);
  assert.equal(write.projections.create.length, 500);
});

Deno.test("counts are checked before items", () => {
  expectInvalid(
    () => readWrite({ events: [null], projections: { create: Array(501).fill(null) } }),
    "request carries 501 projections, more than maxProjectionsPerWrite (500)",
  );
  expectInvalid(() => readWrite({ events: Array(101).fill(null) }), /^request carries 101 events/);
});
