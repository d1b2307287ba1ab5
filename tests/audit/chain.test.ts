import assert from "node:assert/strict";
import { faultsOfRound } from "../../audit/chain/checker.ts";
import type { Call, SeenEvent } from "../../audit/chain/observed.ts";
import {
  call,
  decision,
  done,
  EARLY,
  evidenceOf,
  failed,
  LATE,
  lossless,
  lossy,
  type Made,
  note,
  page,
} from "./made_chain.ts";

/** Changes one call. */
function change(made: Made, label: string, change: Partial<Call>): void {
  made.calls = made.calls.map((call) => call.label === label ? { ...call, ...change } : call);
}

/** Removes the last events from the store, and from all observations of readers. */
function shorten(made: Made, length: number): void {
  made.after = { ...made.after, events: made.after.events.slice(0, length) };
  made.pages = [];
  made.stored = [];
  made.segments = [];
}

/** Changes that break a failover without loss, and the expected fault of each. */
const BREAKS: Readonly<Record<string, readonly [breaks: (made: Made) => void, said: RegExp]>> = {
  "two readers see different events at one sequence": [
    (made) => made.seen.push(["S", note(4, "other")]),
    /event 4 of store S was a2\/0 of t4 for one reader and other\/0 of t4 for another/,
  ],
  "an acknowledged decision is lost": [
    (made) => {
      shorten(made, 7);
      made.calls = made.calls.filter(({ label }) => label !== "d5");
    },
    /decide d4 was told as done, and is lost in a failover without loss/,
  ],
  "an acknowledged write has other sequences": [
    (made) => change(made, "a2", { outcome: done("S", { ...note(3, "a2") }) }),
    /append a2 was told as done as event 3, and is event 4/,
  ],
  "a key has another time than the answer to its writer": [
    (made) => change(made, "k1", { outcome: done("S", { ...note(6, "k1"), time: "other" }) }),
    /once k1 was told as done as event 6, and is event 6/,
  ],
  "an event that a reader saw is gone from the same store": [
    (made) => made.seen.push(["S", note(9, "seen")]),
    /event 9 \(seen\/0\) of store S is not in S, the same store/,
  ],
  "the store has a gap": [
    (made) =>
      made.after = { ...made.after, events: made.after.events.filter(({ sequence }) => sequence !== 7) },
    /event 8 of store S is in place 7/,
  ],
  "the store ID changes though one server knows that nothing was lost": [
    (made) => {
      made.seen = made.after.events.map((event) => ["S", event]);
      made.after = { ...made.after, storeId: "T" };
    },
    /nothing was lost, and the store ID has changed, S to T/,
  ],
  "a decision saw a state that has passed": [
    (made) => {
      const event = made.after.events[7]!;
      Object.assign(event, { saw: decision(8, "d4", made.after.events.slice(0, 3)).saw });
    },
    /show1, event 8 \(d4\/0\): its decision saw 2 taken, the last event 3; it was 1 taken, the last event 5/,
  ],
  "a decision takes a seat that does not exist": [
    (made) => {
      const { events } = made.after;
      const more = [9, 10, 11].reduce((all, at) => [...all, decision(at, `e${at}`, all)], [...events]);
      made.after = { ...made.after, events: more };
    },
    /event 10 \(e10\/0\): with event 10 \(e10\/0\) 4 of 3 seats are taken/,
  ],
  "a handler declines on a state that never existed": [
    (made) => {
      const outcome = made.calls.find(({ label }) => label === "d5")!.outcome;
      change(made, "d5", {
        outcome: { ...outcome, saw: { taken: 3, last: 8, digest: 0 } } as Call["outcome"],
      });
    },
    /d5 declined on a state of show1 that store S never had/,
  ],
  "a handler declines, and its call has written": [
    (made) => change(made, "d5", { label: "d4" }),
    /d4 wanted to write nothing, and event 8 is there/,
  ],
  "an error denies what is stored": [
    (made) => change(made, "d2", { outcome: failed("Refused") }),
    /decide d2 failed with Refused \(\), and is there as event 3/,
  ],
  "an error of the handler itself passes through": [
    (made) => change(made, "d6", { outcome: failed("BrokenRule", false) }),
    /decide d6 failed with BrokenRule \(\), which no handler may throw/,
  ],
  "a write is there twice": [
    (made) => {
      const event = { ...note(9, "a2"), time: "t9" };
      made.after = { ...made.after, events: [...made.after.events, event] };
    },
    /a2\/0 is in store S more than once: event 4,9/,
  ],
  "a write is there in part": [
    (made) => change(made, "a2", { events: 2 }),
    /the events of a2 are torn apart: event 4/,
  ],
  "writeOnce takes its own event for a conflict": [
    (made) => change(made, "k1", { outcome: failed("Conflict") }),
    /once k1 failed with Conflict \(\), though nothing can be in its way/,
  ],
  "a decision gives up before its last attempt": [
    (made) => change(made, "d7", { writes: 9 }),
    /decide d7 failed with Conflict \(\) after 9 of 10 attempts/,
  ],
  "a condition does not hold": [
    (made) => {
      const { query } = made.calls.find(({ label }) => label === "a3")!.condition!;
      change(made, "a3", { condition: { query, after: { storeId: "S", sequence: 5 } } });
    },
    /a3 was accepted as event 7, though event 6 matches after 5/,
  ],
  "a condition of another store is accepted": [
    (made) => change(made, "a3", { condition: { query: "every", after: { storeId: "R", sequence: 6 } } }),
    /a3 was accepted in store S with a condition read in store R/,
  ],
  "a page lacks an event": [
    (made) => made.pages.push(page("S", made.after.events.filter(({ sequence }) => sequence !== 4), 8)),
    /it has 7 events of 8; 1 are missing, such as 4/,
  ],
  "a page has an event beyond its head": [
    (made) => made.pages.push(page("S", made.after.events, 7)),
    /it has 8 events of 7/,
  ],
  "a page wrongly claims to be the last one": [
    (made) => made.pages.push(page("S", made.after.events.slice(0, 4), 8, { limit: 4 })),
    /hasMore is false/,
  ],
  "a page of the primary ends before an acknowledged write": [
    (made) => made.pages.push(page("S", made.after.events.slice(0, 7), 7, { begun: LATE + 20 })),
    /the head was 8 before it was asked for/,
  ],
  "a follower misses an event": [
    (made) => made.segments[0]!.events.splice(3, 1),
    /follower got event 5 instead of 4 of store S; 7 in all, not 8/,
  ],
  "a follower gets an event twice": [
    (made) => made.segments[0]!.events.push(made.after.events[7]!),
    /follower got event 8 instead of none of store S; 9 in all, not 8/,
  ],
  "a follower does not reach the head": [
    (made) => {
      made.segments[0]!.events.pop();
      made.segments[0]!.sequence = 7;
    },
    /follower is at 7 of store S, and the head is 8 of store S/,
  ],
  "a projector applies an event twice": [
    (made) =>
      made.stored.push({ state: { taken: 3, last: 8, digest: 0 }, at: { storeId: "S", sequence: 8 } }),
    /projector has stored 3 taken, the last event 8 for hall1 up to 8 of store S; it was 2 taken/,
  ],
};

/** The same for a failover with loss. */
const LOSSY_BREAKS: typeof BREAKS = {
  "the store keeps its ID": [
    (made) => {
      made.after = { ...made.after, storeId: "S" };
      made.seen = [];
      made.pages = [];
    },
    /decide d2 was told as done, is lost, and the store ID is still S/,
  ],
  "a write that began after the failover is lost": [
    (made) => change(made, "d2", { begun: LATE }),
    /decide d2 was told as done after the failover, and is lost/,
  ],
  "an event that the new primary had is lost": [
    (made) => made.failover = { ...made.failover, kept: 3 },
    /event 3 \(d2\/0\) of store S is not in T, which kept the first 3/,
  ],
  "a decision on lost history is accepted": [
    (made) => Object.assign(made.after.events[2]!, { saw: { taken: 2, last: 3, digest: 0 } }),
    /store T, show1, event 3 \(d3\/0\): its decision saw 2 taken, the last event 3; it was 1 taken, the last event 2/,
  ],
  "an error before the failover denies what was stored": [
    (made) => change(made, "d2", { outcome: failed("Unavailable") }),
    /decide d2 failed with Unavailable \(\), and is there as event 3/,
  ],
  "a follower is not notified of the reset": [
    (made) => made.segments[1] = { ...made.segments[1]!, isReported: false },
    /follower was not told of the reset to store T/,
  ],
  "a follower stays with the lost store": [
    (made) => made.segments.pop(),
    /follower is at 4 of store S, and the head is 4 of store T/,
  ],
  "an unknown write is there in part": [
    (made) => change(made, "a3", { outcome: { kind: "unknown" }, events: 2 }),
    /the events of a3 are torn apart/,
  ],
};

for (const [sound, breaks] of [[lossless, BREAKS], [lossy, LOSSY_BREAKS]] as const) {
  for (const [name, [breakIt, said]] of Object.entries(breaks)) {
    Deno.test(`in a failover ${sound === lossy ? "with" : "without"} loss it is noticed when ${name}`, () => {
      const made = sound();
      breakIt(made);
      assert.match(faultsOfRound(evidenceOf(made)).join("\n"), said);
    });
  }
}

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
