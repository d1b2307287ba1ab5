import assert from "node:assert/strict";
import { verdictOn } from "../../audit/forgets/check_subjects.ts";
import type { ReadEvent } from "../../audit/forgets/check_subjects.ts";
import type { Attempt } from "../../audit/history/attempts.ts";
import type { WireEvent } from "../../audit/history/wire_event.ts";

/* The checker of `forgets`, which must accept each outcome that is allowed, and nothing else. */

function sent(act: number, payload: string, isSealed = true): WireEvent {
  const identifiers = isSealed ? { by: "s", student: "s" } : { by: "s" };
  return { type: "noted", identifiers, metadata: { act: String(act) }, payload };
}

const FIRST = [sent(1, "a"), sent(1, "b"), sent(1, "plain", false)];
const WITH = [sent(2, "c"), sent(2, "d", false)];

function attempts(fate: "done" | "rejected" | "none", events: readonly WireEvent[] = WITH): Attempt[] {
  const done = { fate: "done", status: 200 } as const;
  const write = { kind: "write", events: FIRST, projections: [], condition: "none" } as const;
  const answer = fate === "none" ? undefined : { id: 2, fate, status: fate === "done" ? 200 : 503 };
  return [
    { id: 1, client: "s", act: write, answer: { id: 1, ...done } },
    { id: 2, client: "s", act: { kind: "forget", subject: "s", events }, answer },
  ];
}

function stored(events: readonly (WireEvent | ReadEvent)[]): ReadEvent[] {
  return events.map((event, i) => ({ ...event, sequence: i + 1, time: "t" }));
}

const gone = (event: WireEvent): WireEvent & Pick<ReadEvent, "forgotten"> =>
  "student" in event.identifiers ? { ...event, payload: "", forgotten: ["student"] } : event;

const BEFORE = FIRST;
const AFTER = [...FIRST.map(gone), ...WITH];

function happened(acts: readonly Attempt[], events: readonly WireEvent[]): number[] {
  const { happened, faults } = verdictOn(acts, stored(events));
  assert.deepEqual(faults, []);
  return happened.map(({ id }) => id);
}

Deno.test("each allowed outcome of a request to forget is accepted", () => {
  assert.deepEqual(happened(attempts("done"), AFTER), [1, 2]);
  assert.deepEqual(happened(attempts("rejected"), BEFORE), [1]);
  assert.deepEqual(happened(attempts("none"), AFTER), [1, 2]);
  assert.deepEqual(happened(attempts("none"), BEFORE), [1]);
  // Without events, only the earlier events show it.
  assert.deepEqual(happened(attempts("none", []), FIRST.map(gone)), [1, 2]);
  assert.deepEqual(happened(attempts("none", []), FIRST), [1]);
});

Deno.test("half a forgetting, a lost and an undone one, and events of no client are faults", () => {
  const half = [FIRST[0]!, ...FIRST.slice(1).map(gone)];
  const wrong: readonly (readonly [Attempt[], readonly WireEvent[]])[] = [
    [attempts("done"), BEFORE],
    [attempts("rejected"), AFTER],
    [attempts("none"), FIRST.map(gone)],
    [attempts("none"), [...FIRST, ...WITH]],
    [attempts("none"), [...FIRST.map(gone), WITH[0]!]],
    [attempts("none"), [...half, ...WITH]],
    [attempts("none", []), half],
    [attempts("none"), [...FIRST.map(gone), ...WITH.map(gone)]],
    [attempts("none"), AFTER.slice(1)],
    [attempts("none"), [...AFTER, { ...sent(3, "x"), identifiers: { by: "other" } }]],
  ];
  for (const [acts, events] of wrong) {
    assert.notDeepEqual(verdictOn(acts, stored(events)).faults, [], JSON.stringify(events));
  }
  const gap = stored(AFTER).map((event, i) => ({ ...event, sequence: i + 2 }));
  assert.match(verdictOn(attempts("done"), gap).faults.join(), /sequences have a gap/);
});
