import assert from "node:assert/strict";
import { nearestName, suggest } from "../../src/config/suggest.ts";

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

Deno.test("the nearest name in a store is one with a slip, else one that begins with the word or contains it", () => {
  const types = ["PreOrderPlaced", "OrderShipped", "OrderPlaced", "T"];
  assert.equal(nearestName("OrderPlacd", types), "OrderPlaced");
  assert.equal(nearestName("orderplaced", types), "OrderPlaced");
  assert.equal(nearestName("Ord", types), "OrderShipped", "the first that begins with it");
  assert.equal(nearestName("placed", types), "PreOrderPlaced", "the first that contains it");
  assert.equal(nearestName("Refunded", types), undefined);
  assert.equal(nearestName("pr", types), undefined, "two letters are in too many names");
  assert.equal(nearestName("x", types), undefined, "another letter is another word");
});
