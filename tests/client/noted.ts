import type { DecisionModel, EventStore } from "../../client/mod.ts";
import { listed, type SchoolEvents } from "./support.ts";

/** The number of notes. */
export const counted: DecisionModel<SchoolEvents, number> = {
  query: { types: ["Noted"] },
  initial: 0,
  apply: (count) => count + 1,
};

/** The texts of all notes. */
export async function texts(store: EventStore<SchoolEvents>): Promise<string[]> {
  const events = await listed(store.readAll({ types: ["Noted"] }));
  return events.map((event) => event.type === "Noted" ? event.payload.text : "");
}
