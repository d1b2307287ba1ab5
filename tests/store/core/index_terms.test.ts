import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { eventTerms, termItem } from "../../../src/store/core/index_terms.ts";

/** The terms in existing databases: they must never change. */
function token(encoded: string): string {
  return createHash("sha256").update(encoded, "utf8").digest("hex").slice(0, 32);
}

const LONG = "long \u{1f600} ".repeat(40);

Deno.test("the terms of an event never change", () => {
  const event = {
    type: "Ordered",
    identifiers: [{ name: "order", value: "o1" }, { name: "kunde", value: LONG }],
    metadata: [{ name: "order", value: "o1" }],
  };
  const expected = [
    token("tOrdered"),
    token("i5:ordero1"),
    token(`i5:kunde${LONG}`),
    token("m5:ordero1"),
  ];
  assert.equal(eventTerms(event), expected.join(" "));
  assert.deepEqual(termItem({ ...event, types: ["Ordered", "Paid"] }), {
    anyOf: [token("tOrdered"), token("tPaid")],
    allOf: expected.slice(1),
  });
});

Deno.test("an event may have any number of terms, and the next one only its own", () => {
  const tags = Array.from({ length: 300 }, (_, i) => ({ name: "n", value: String(i) }));
  const all = eventTerms({ type: "t", identifiers: tags, metadata: [] });
  assert.equal(all, [token("tt"), ...tags.map(({ value }) => token(`i1:n${value}`))].join(" "));
  assert.equal(eventTerms({ type: "t", identifiers: [], metadata: [] }), token("tt"));
});
