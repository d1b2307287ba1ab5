import type { DecisionModel } from "../../client/mod.ts";
import type { SchoolEvents } from "./support.ts";

/** How many seats a course has; undefined: it does not exist. */
export const capacity = (course: string): DecisionModel<SchoolEvents, number | undefined> => ({
  query: { types: ["CourseDefined"], identifiers: { course } },
  initial: undefined,
  apply: (capacity, event) => event.type === "CourseDefined" ? event.payload.capacity : capacity,
});

/** Who is in a course. */
export const students = (course: string): DecisionModel<SchoolEvents, readonly string[]> => ({
  query: { types: ["StudentEnrolled"], identifiers: { course } },
  initial: [],
  apply: (students, event) => [...students, event.identifiers["student"] as string],
});

/** How many courses a student has. */
export const courses = (student: string): DecisionModel<SchoolEvents, number> => ({
  query: { types: ["StudentEnrolled"], identifiers: { student } },
  initial: 0,
  apply: (count) => count + 1,
});
