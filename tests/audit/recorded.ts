import { emptyStore, type StoreContent } from "../../audit/history/store_content.ts";
import type { Act, Answer, Entry } from "../../audit/history/record.ts";
import { ACT_TAG, type FoundEvent, type WireEvent } from "../../audit/history/wire_event.ts";

export const TIME = "2026-11-22T12:00:00.000000Z";

export function wireEvent(id: number, payload: string): WireEvent {
  return { type: "t", identifiers: { by: "c" }, metadata: { [ACT_TAG]: String(id) }, payload };
}

export function write(id: number, events: number, projections: Record<string, string | undefined> = {}): Act {
  return {
    kind: "write",
    events: Array.from({ length: events }, (_, i) => wireEvent(id, `${id}.${i}`)),
    projections: Object.entries(projections).map(([name, payload]) => ({ type: "c", id: name, payload })),
    condition: "none",
  };
}

export function intent(id: number, act: Act, client = "c"): Entry {
  return { intent: { id, client, act } };
}

export function answer(id: number, fate: Answer["fate"], rest: Partial<Answer> = {}): Entry {
  return { answer: { id, fate, status: fate === "done" ? 200 : 409, ...rest } };
}

export function found(event: WireEvent, sequence: number): FoundEvent {
  return { sequence, time: TIME, ...event };
}

/**
 * A sound history: two acknowledged writes, a rejected one, and two that were open when the server died. One of these
 * has happened, the other has not.
 */
export function sound(): { before: StoreContent; entries: Entry[]; after: StoreContent } {
  const before = { ...emptyStore("s"), events: [found(wireEvent(1, "1.0"), 1)] };
  const acts = [
    write(2, 2, { p: "2" }),
    write(3, 1),
    write(4, 1, { p: "4", q: "4" }),
    write(5, 3),
    write(6, 2),
  ];
  const entries = [
    intent(2, acts[0]!),
    answer(2, "done", { sequences: [2, 3], times: [TIME, TIME], versions: ["v2"] }),
    intent(3, acts[1]!, "d"),
    answer(3, "rejected"),
    intent(4, acts[2]!),
    answer(4, "done", { sequences: [4] }),
    intent(5, acts[3]!),
    intent(6, acts[4]!, "d"),
  ];
  const events = [
    ...before.events,
    ...[wireEvent(2, "2.0"), wireEvent(2, "2.1"), wireEvent(4, "4.0"), wireEvent(5, "5.0")],
    ...[wireEvent(5, "5.1"), wireEvent(5, "5.2")],
  ].map((event, i) => found(event, i + 1));
  const projections = [
    { type: "c", id: "p", version: "v4", payload: "4" },
    { type: "c", id: "q", version: "w4", payload: "4" },
  ];
  return { before, entries, after: { ...before, events, projections } };
}
