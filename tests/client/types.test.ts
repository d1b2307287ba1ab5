import { type DecisionModel, decisionModel, type EventStore } from "../../client/mod.ts";
import type { SchoolEvents } from "./support.ts";

/*
 * Mistakes that the compiler rejects. `deno check` is the test: it fails when an expected error does not occur.
 */

const count: DecisionModel<SchoolEvents, number> = { query: "*", initial: 0, apply: (count) => count + 1 };

async function events(store: EventStore<SchoolEvents>): Promise<void> {
  for await (const event of store.readAll("*")) {
    if (event.type === "CourseDefined") event.payload.capacity satisfies number;
    else if (event.type === "StudentEnrolled") event.payload satisfies null;
    // @ts-expect-error an event of another type has no capacity
    else event.payload.capacity;
  }
  await store.append({ type: "CourseDefined", payload: { capacity: 1 } });
  // @ts-expect-error no such type
  await store.append({ type: "CourseClosed", payload: null });
  // @ts-expect-error the payload of another type
  await store.append({ type: "CourseDefined", payload: null });
  // @ts-expect-error no payload
  await store.writeOnce("k", { type: "CourseDefined" });
  // @ts-expect-error tags are strings
  await store.append({ type: "StudentEnrolled", identifiers: { course: 1 }, payload: null });
  // @ts-expect-error tags are no list
  await store.append({ type: "StudentEnrolled", identifiers: [{ name: "a", value: "1" }], payload: null });
}

async function queries(store: EventStore<SchoolEvents>): Promise<void> {
  // @ts-expect-error no such type
  store.readAll({ types: ["CourseClosed"] });
  // @ts-expect-error no such query
  store.follow("all");
  (await store.read("*")).position.sequence satisfies number;
  // @ts-expect-error a backwards page has no position that may be saved
  (await store.read("*", { backwards: true })).position;
  // @ts-expect-error a sequence without its store
  await store.append([], { conditions: { query: "*", after: 3 } });
}

async function decisions(store: EventStore<SchoolEvents>): Promise<void> {
  await store.decide(count, (count) => void (count satisfies number));
  const words = decisionModel<SchoolEvents, string>({ query: "*", initial: "", apply: (words) => words });
  await store.decide({ count, words }, ({ count, words }) => {
    count satisfies number;
    words satisfies string;
  });
  // @ts-expect-error no such model
  await store.decide({ count }, ({ words }) => void words);
  // @ts-expect-error a decision writes events of the map
  await store.decide(count, () => ({ type: "CourseClosed", payload: null }));
}

Deno.test("the map of event types holds everywhere, as the compiler has checked", () => {
  void [events, queries, decisions];
});
