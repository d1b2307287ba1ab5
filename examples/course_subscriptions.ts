/* A course has seats, and a student takes few courses. One decision is about both, and neither owns it. */
// deno-lint-ignore-file no-console

import { type DecisionModel, EventStore } from "eventstore-client";

export interface Events {
  CourseDefined: { capacity: number };
  CapacityChanged: { capacity: number };
  StudentSubscribed: null;
}
type Store = EventStore<Events>;
type Model<State> = DecisionModel<Events, State>;

export const COURSES_PER_STUDENT = 5;

/** The error for an action that the rules do not allow. */
export class ApiError extends Error {}

const capacityOf = (course: string): Model<number | undefined> => ({
  query: { types: ["CourseDefined", "CapacityChanged"], identifiers: { course } },
  initial: undefined,
  apply: (capacity, event) => event.type === "StudentSubscribed" ? capacity : event.payload.capacity,
});
const seatsTaken = (course: string): Model<number> => ({
  query: { types: ["StudentSubscribed"], identifiers: { course } },
  initial: 0,
  apply: (count) => count + 1,
});
const coursesOf = (student: string): Model<readonly string[]> => ({
  query: { types: ["StudentSubscribed"], identifiers: { student } },
  initial: [],
  apply: (courses, { identifiers }) => [...courses, String(identifiers["course"])],
});

export async function defineCourse(store: Store, course: string, capacity: number): Promise<void> {
  await store.decide(capacityOf(course), (known) => {
    if (known !== undefined) throw new ApiError("the course is there already");
    return { type: "CourseDefined", identifiers: { course }, payload: { capacity } };
  });
}

/** Students keep their seats. With a capacity below their number, no other student gets in. */
export async function changeCapacity(store: Store, course: string, capacity: number): Promise<void> {
  await store.decide(capacityOf(course), (known) => {
    if (known === undefined) throw new ApiError("there is no such course");
    if (known === capacity) return; // nothing to write
    return { type: "CapacityChanged", identifiers: { course }, payload: { capacity } };
  });
}

export async function subscribe(store: Store, course: string, student: string): Promise<void> {
  const models = { capacity: capacityOf(course), taken: seatsTaken(course), courses: coursesOf(student) };
  await store.decide(models, ({ capacity, taken, courses }) => {
    if (capacity === undefined) throw new ApiError("there is no such course");
    if (courses.includes(course)) throw new ApiError("the student is in the course already");
    if (courses.length >= COURSES_PER_STUDENT) throw new ApiError("the student has enough courses");
    if (taken >= capacity) throw new ApiError("the course is full");
    return { type: "StudentSubscribed", identifiers: { course, student }, payload: null };
  });
}

if (import.meta.main) {
  const store: Store = new EventStore({ url: Deno.args[0] ?? "http://127.0.0.1:8085" });
  const course = `course-${crypto.randomUUID()}`;
  await defineCourse(store, course, 2);
  for (const student of ["Ada", "Grace", "Edsger"]) {
    try {
      await subscribe(store, course, `${student}-${crypto.randomUUID()}`);
      console.log(`${student} has a seat`);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      console.log(`${student}: ${error.message}`);
    }
  }
}
