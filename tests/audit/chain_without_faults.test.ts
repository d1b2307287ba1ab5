import assert from "node:assert/strict";
import { faultsOfRound } from "../../audit/chain/checker.ts";
import type { SeenEvent } from "../../audit/chain/observed.ts";
import { call, decision, EARLY, evidenceOf, failed, LATE, lossless, lossy, page } from "./made_chain.ts";

Deno.test("a failover of a chain that does everything right has no faults, with loss and without", () => {
  for (const made of [lossless(), lossy()]) assert.deepEqual(faultsOfRound(evidenceOf(made)), []);
});

Deno.test("a lost store may have had events that no client saw", () => {
  const made = lossy();
  const [first] = made.seen;
  made.seen = [first!];
  made.pages = [page("S", [first![1]], 4, { limit: 1, hasMore: true, begun: 1, ended: 2 })];
  made.segments.shift();
  assert.deepEqual(faultsOfRound(evidenceOf(made)), []);
});

Deno.test("after a lost event that no page has shown, the states of decisions cannot be checked", () => {
  const made = lossy();
  const [a1, d1, d2] = made.seen.map(([, event]) => event) as [SeenEvent, SeenEvent, SeenEvent];
  const d4 = { ...decision(4, "d4", [d1, d2]), time: "t4" };
  made.seen = [a1, d1, d4].map((event) => ["S", event]);
  made.pages = [page("S", [d4], 4, { after: 3, begun: EARLY + 20 })];
  made.segments.shift();
  made.calls = made.calls.filter(({ label }) => label !== "a2");
  assert.deepEqual(faultsOfRound(evidenceOf(made)), []);
  made.seen.push(["S", d2]);
  const stale = { ...d4, saw: decision(4, "d4", [d1]).saw };
  made.seen = made.seen.map(([store, event]) => [store, event === d4 ? stale : event]);
  made.pages = [];
  assert.match(faultsOfRound(evidenceOf(made)).join(), /event 4 \(d4\/0\): its decision saw 1 taken/);
});

Deno.test("pages may lag where replicas are read", () => {
  const made = lossless();
  made.pages.push(page("S", made.after.events.slice(0, 7), 7, { begun: LATE + 20 }));
  made.readsReplicas = true;
  assert.deepEqual(faultsOfRound(evidenceOf(made)), []);
});

Deno.test("a rejected call may have its event written by another call under the same key", () => {
  const made = lossless();
  made.calls.push(call("k1", failed("Unavailable"), { operation: "once", events: 1, key: "k1" }));
  assert.deepEqual(faultsOfRound(evidenceOf(made)), []);
});
