import type { DecisionModel, EventStore } from "../../client/mod.ts";
import { listed, type SchoolEvents } from "./support.ts";

/** The number of seats of a course; undefined when the course does not exist. */
export const capacity = (course: string): DecisionModel<SchoolEvents, number | undefined> => ({
  query: { types: ["CourseDefined"], identifiers: { course } },
  initial: undefined,
  apply: (capacity, event) => event.type === "CourseDefined" ? event.payload.capacity : capacity,
});

/** The students of a course. */
export const students = (course: string): DecisionModel<SchoolEvents, readonly string[]> => ({
  query: { types: ["StudentEnrolled"], identifiers: { course } },
  initial: [],
  apply: (students, event) => [...students, event.identifiers["student"] as string],
});

/** The number of courses of a student. */
export const courses = (student: string): DecisionModel<SchoolEvents, number> => ({
  query: { types: ["StudentEnrolled"], identifiers: { student } },
  initial: 0,
  apply: (count) => count + 1,
});

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
