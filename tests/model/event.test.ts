import assert from "node:assert/strict";
import { eventBytesOver } from "../../src/model/event.ts";

const event = {
  type: "\u00e4", // 2
  identifiers: [{ name: "ab", value: "" }, { name: "ab", value: "\u20ac" }], // 2 + 2 + 3
  metadata: [{ name: "", value: "\u{1f600}" }], // 4
  payload: "0123456789", // 10
};

Deno.test("the size of an event counts type, payload, and name and value of every tag", () => {
  assert.equal(eventBytesOver(22, event), 23);
  assert.equal(eventBytesOver(1, event), 23);
  for (const part of ["type", "payload"] as const) {
    assert.equal(eventBytesOver(22, { ...event, [part]: event[part] + "x" }), 24);
  }
  for (const part of ["identifiers", "metadata"] as const) {
    assert.equal(eventBytesOver(22, { ...event, [part]: [...event[part], { name: "x", value: "yz" }] }), 26);
  }
});

Deno.test("an event of exactly the limit is not over it", () => {
  assert.equal(eventBytesOver(23, event), 0);
  assert.equal(eventBytesOver(24, event), 0);
});
