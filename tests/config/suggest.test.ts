import assert from "node:assert/strict";
import { suggest } from "../../src/config/suggest.ts";

const keys = ["socketPath", "socketMode", "port", "maxEventSize", "maxEventsPerTx"];

Deno.test("a slip of a few letters is recognized", () => {
  assert.equal(suggest("sockettPath", keys), "socketPath");
  assert.equal(suggest("prot", keys), "port");
  assert.equal(suggest("pot", keys), "port");
  assert.equal(suggest("maxEventSizes", keys), "maxEventSize");
});

Deno.test("case and underscores are no obstacle", () => {
  assert.equal(suggest("SOCKETMODE", keys), "socketMode");
  assert.equal(suggest("max_event_size", keys), "maxEventSize");
});

Deno.test("the nearest of several candidates is taken", () => {
  assert.equal(suggest("socketMod", keys), "socketMode");
});

Deno.test("a word that resembles nothing gets no suggestion", () => {
  assert.equal(suggest("colour", keys), undefined);
  assert.equal(suggest("maximum", keys), undefined);
  assert.equal(suggest("", keys), undefined);
});
