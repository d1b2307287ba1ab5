import type { DecisionModel } from "../../client/mod.ts";
import type { SchoolEvents } from "./support.ts";

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
