import assert from "node:assert/strict";
import { emptyStore, type StoreContent } from "../../audit/history/store_content.ts";
import { faultsOfAnswers } from "../../audit/history/failed_answers.ts";
import { faultsOf } from "../../audit/history/check_history.ts";
import type { Entry } from "../../audit/history/record.ts";
import { answer, found, intent, sound, TIME, wireEvent, write } from "./recorded.ts";

Deno.test("a sound history has no faults, whatever the outcome of the open acts", () => {
  const { before, entries, after } = sound();
  assert.deepEqual(faultsOf(before, entries, after), []);
  assert.deepEqual(faultsOf(before, entries, { ...after, events: after.events.slice(0, 4) }), []);
});

type Evidence = ReturnType<typeof sound>;

/** Each entry breaks a sound history by hand. The expected fault names the problem. */
const broken: readonly [
  what: string,
  break_: (evidence: Evidence) => Partial<StoreContent>,
  fault: RegExp,
][] = [
  ["an acknowledged write is lost", ({ after }) => ({
    events: after.events.filter((_, i) => i !== 3).map((event, i) => ({ ...event, sequence: i + 1 })),
    projections: [{ type: "c", id: "p", version: "v2", payload: "2" }],
  }), /acknowledged and lost: act 4/],
  ["a rejected write is there", ({ after }) => ({
    events: [...after.events, found(wireEvent(3, "3.0"), 8)],
  }), /rejected \(409\), and there: act 3/],
  ["half of an open write is there", ({ after }) => ({
    events: after.events.slice(0, 6),
  }), /half a write: 2 of the 3 events of act 5/],
  ["a write is torn apart", ({ after: { events } }) => ({
    events: [events[0]!, events[1]!, events[3]!, events[2]!, ...events.slice(4)]
      .map((event, i) => ({ ...event, sequence: i + 1 })),
  }), /torn apart: the events of act 2/],
  ["a payload is changed", ({ after }) => ({
    events: after.events.map((event) => event.sequence === 4 ? { ...event, payload: "4.O" } : event),
  }), /changed: event 0 of act 4/],
  ["a tag is lost", ({ after }) => ({
    events: after.events.map((event) => event.sequence === 4 ? { ...event, identifiers: {} } : event),
  }), /changed: event 0 of act 4/],
  ["a time differs from the answer", ({ after }) => ({
    events: after.events.map((event) => event.sequence === 2 ? { ...event, time: `${TIME}0` } : event),
  }), /was told the time/],
  ["a sequence is skipped", ({ after }) => ({
    events: after.events.map((event, i) => i === 6 ? { ...event, sequence: 8 } : event),
  }), /sequences have a gap/],
  ["an event is there that no act wrote", ({ after }) => ({
    events: [...after.events, found(wireEvent(99, ""), 8)],
  }), /nobody has written the events of act 99/],
  [
    "an old event is gone",
    () => ({ events: [], projections: [] }),
    /events are gone that were there before/,
  ],
  ["an old event is changed", ({ after }) => ({
    events: after.events.map((event, i) => i === 0 ? { ...event, payload: "" } : event),
  }), /event 1 is no longer what it was/],
  ["the store ID is another one", () => ({ storeId: "t" }), /the store ID changed/],
  ["a projection is missing", ({ after }) => ({
    projections: after.projections.slice(0, 1),
  }), /the projection "c" "q" is missing/],
  ["a projection is old", ({ after }) => ({
    projections: [{ type: "c", id: "p", version: "v2", payload: "2" }, after.projections[1]!],
  }), /"p" has another payload/],
  ["a projection is there that no act wrote", ({ after }) => ({
    projections: [...after.projections, { type: "c", id: "z", version: "v", payload: "" }],
  }), /"z" should not be there/],
  ["the store is paused", () => ({ isPaused: true }), /the store is paused/],
  ["reading found something", () => ({ faults: ["the index differs"] }), /the index differs/],
];
for (const [what, change, fault] of broken) {
  Deno.test(`a history is rejected when ${what}`, () => {
    const evidence = sound();
    const faults = faultsOf(evidence.before, evidence.entries, { ...evidence.after, ...change(evidence) });
    assert.match(faults.join("\n"), fault);
  });
}

Deno.test("a version must be the one in the answer, and a new one after a change", () => {
  const old = { type: "c", id: "p", version: "v1", payload: "1" };
  const before = { ...emptyStore("s"), projections: [old] };
  const changed = (version: string): StoreContent => ({
    ...before,
    events: [found(wireEvent(2, "2.0"), 1)],
    projections: [{ ...old, version, payload: "2" }],
  });
  const unanswered = [intent(2, write(2, 1, { p: "2" }))];
  const known = [...unanswered, answer(2, "done", { sequences: [1], versions: ["v2"] })];
  assert.deepEqual(faultsOf(before, known, changed("v2")), []);
  assert.match(faultsOf(before, known, changed("v3"))[0]!, /has not the version/);
  assert.deepEqual(faultsOf(before, unanswered, changed("v3")), []);
  assert.match(faultsOf(before, unanswered, changed("v1"))[0]!, /has not the version/);
  assert.match(faultsOf(before, [], { ...before, projections: [{ ...old, version: "v3" }] })[0]!, /version/);
});

Deno.test("no version is given twice, also when the projection was deleted in between", () => {
  const before = emptyStore("s");
  const acts = ["1", undefined, "3"].map((payload, i) => intent(i + 1, write(i + 1, 0, { p: payload })));
  const answeredAll = (last: string): Entry[] =>
    ["v1", null, last].flatMap((version, i) => [acts[i]!, answer(i + 1, "done", { versions: [version] })]);
  const after = (version: string): StoreContent => ({
    ...before,
    projections: [{ type: "c", id: "p", version, payload: "3" }],
  });
  assert.deepEqual(faultsOf(before, answeredAll("v3"), after("v3")), []);
  assert.match(faultsOf(before, answeredAll("v1"), after("v1")).join(), /act 3 was told a version/);
  const unanswered = [...answeredAll("v3").slice(0, 5), answer(3, "done")];
  assert.match(faultsOf(before, unanswered, after("v1")).join(), /has not the version/);
});

Deno.test("an answer 500 or 507 is a fault when nothing has failed", () => {
  const rejected = (status: number): Entry[] => [intent(1, write(1, 1)), answer(1, "rejected", { status })];
  assert.deepEqual(faultsOfAnswers(rejected(409)), []);
  assert.match(faultsOfAnswers(rejected(500)).join(), /answered 500.*: the acts 1$/);
  assert.match(faultsOfAnswers(rejected(507)).join(), /answered 507.*: the acts 1$/);
});

Deno.test("a write of projections alone is there as a whole or not at all", () => {
  const before = emptyStore("s");
  const entries = [intent(1, write(1, 0, { p: "1", q: "1" }))];
  const projections = ["p", "q"].map((id) => ({ type: "c", id, version: `v${id}`, payload: "1" }));
  for (const whole of [[], projections]) {
    assert.deepEqual(faultsOf(before, entries, { ...before, projections: whole }), []);
  }
  assert.notDeepEqual(faultsOf(before, entries, { ...before, projections: projections.slice(1) }), []);
  const rejected: Entry[] = [...entries, answer(1, "rejected")];
  assert.notDeepEqual(faultsOf(before, rejected, { ...before, projections }), []);
  const done: Entry[] = [...entries, answer(1, "done")];
  assert.notDeepEqual(faultsOf(before, done, before), []);
});

Deno.test("a reset empties the store and gives it another ID, or nothing has happened", () => {
  const { before, after } = sound();
  const open = [intent(9, { kind: "reset" })];
  assert.deepEqual(faultsOf(before, open, before), []);
  assert.deepEqual(faultsOf(before, open, emptyStore("t")), []);
  assert.match(faultsOf(before, open, { ...before, storeId: "t" }).join(), /ID changed.*nobody has written/);
  assert.match(faultsOf(before, open, emptyStore("s")).join(), /are gone.*the one of before reset 9/);
  const done = [...open, answer(9, "done")];
  assert.deepEqual(faultsOf(before, done, emptyStore("t")), []);
  assert.match(faultsOf(before, done, emptyStore("s"))[0]!, /the one of before reset 9/);
  assert.notDeepEqual(faultsOf(before, done, after), []);
  const kept = [...open, answer(9, "done", { storeId: "s" })];
  assert.match(faultsOf(before, kept, emptyStore("s")).join(), /the one of before reset 9/);
  const rejected = [...open, answer(9, "rejected")];
  assert.notDeepEqual(faultsOf(before, rejected, emptyStore("t")), []);
});

Deno.test("unanswered resets after the last acknowledged one may have happened", () => {
  const before = { ...emptyStore("s"), events: [found(wireEvent(1, "1.0"), 1)] };
  const reset = (id: number): Entry => intent(id, { kind: "reset" });
  const written = (id: number): Entry[] => [intent(id, write(id, 1)), answer(id, "done", { sequences: [1] })];
  const storeWith = (id: number): StoreContent => ({
    ...emptyStore("t"),
    events: [found(wireEvent(id, `${id}.0`), 1)],
  });

  const acknowledgedLast = [reset(2), ...written(3), reset(4), answer(4, "done", { storeId: "t" })];
  assert.deepEqual(faultsOf(before, acknowledgedLast, emptyStore("t")), []);
  assert.notDeepEqual(faultsOf(before, acknowledgedLast, emptyStore("u")), []);
  assert.notDeepEqual(faultsOf(before, acknowledgedLast, storeWith(3)), []);

  const unknownAfter = [reset(2), answer(2, "done", { storeId: "t" }), ...written(3), reset(4)];
  assert.deepEqual(faultsOf(before, unknownAfter, storeWith(3)), []);
  assert.deepEqual(faultsOf(before, unknownAfter, emptyStore("u")), []);
  assert.match(faultsOf(before, unknownAfter, emptyStore("t")).join(), /acknowledged and lost: act 3/);

  const unknownLast = [reset(2), ...written(3), reset(4)];
  assert.deepEqual(faultsOf(before, unknownLast, storeWith(3)), []);
  assert.deepEqual(faultsOf(before, unknownLast, emptyStore("t")), []);
  assert.match(faultsOf(before, unknownLast, before).join(), /acknowledged and lost: act 3/);
});

Deno.test("a pause that was acknowledged is there, and one that ended is not", () => {
  const store = emptyStore("s");
  const paused = { ...store, isPaused: true };
  const pause = [intent(1, { kind: "pause" }), answer(1, "done")];
  assert.deepEqual(faultsOf(store, pause, paused), []);
  assert.match(faultsOf(store, pause, store)[0]!, /not paused/);
  const resume = [...pause, intent(2, { kind: "resume" })];
  for (const either of [store, paused]) assert.deepEqual(faultsOf(store, resume, either), []);
  assert.match(faultsOf(store, [...resume, answer(2, "done")], paused)[0]!, /is paused/);
});
