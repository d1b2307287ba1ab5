import assert from "node:assert/strict";
import type { EventStore } from "../../client/mod.ts";
import { capacity, courses, students } from "./school.ts";
import { listed, type SchoolEvents } from "./support.ts";

const COURSES = ["c1", "c2", "c3", "c4", "c5"];
const COURSES_PER_STUDENT = 3;

class ApiError extends Error {}

/** The clients that enrol students, the sizes, and when to stop. */
export interface Enrolments {
  /** One for each client. All use the same store, which is empty. */
  readonly stores: readonly EventStore<SchoolEvents>[];
  readonly seats: number;
  readonly students: number;
  /** True when a client has made enough decisions. */
  readonly isOver: (decisions: number) => boolean;
}

/** Makes one decision that obeys all rules. */
async function enrol(store: EventStore<SchoolEvents>, course: string, student: string): Promise<void> {
  await store.decide(
    { seats: capacity(course), taken: students(course), own: courses(student) },
    ({ seats = 0, taken, own }) => {
      if (taken.includes(student)) throw new ApiError("twice");
      if (own >= COURSES_PER_STUDENT) throw new ApiError("busy");
      if (taken.length >= seats) throw new ApiError("full");
      return { type: "StudentEnrolled", identifiers: { course, student }, payload: null };
    },
    { attempts: 1000 },
  );
}

/**
 * Clients enrol students in courses, all at the same time. No student may be enrolled twice or in too many courses, no
 * course may exceed its seats, and no student may be rejected while there is a seat.
 * @returns the number of enrolments
 */
export async function enrolTogether(
  { stores, seats, students: studentCount, isOver }: Enrolments,
): Promise<number> {
  const [first] = stores as [EventStore<SchoolEvents>];
  for (const course of COURSES) {
    await first.append({ type: "CourseDefined", identifiers: { course }, payload: { capacity: seats } });
  }
  const below = (limit: number): number => Math.floor(Math.random() * limit);
  const full = new Set<string>();
  let accepted = 0;
  await Promise.all(stores.map(async (store) => {
    for (let i = 0; !isOver(i); i++) {
      const course = COURSES[below(COURSES.length)]!;
      try {
        await enrol(store, course, `s${below(studentCount)}`);
        accepted++;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (error.message === "full") full.add(course);
      }
    }
  }));
  const events = await listed(first.readAll("*"));
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    events.map((_, i) => i + 1),
    "sequences have a gap",
  );
  const enrolled = events.slice(COURSES.length);
  assert.equal(enrolled.length, accepted);
  const pairs = enrolled.map(({ identifiers }) => `${identifiers["course"]} ${identifiers["student"]}`);
  assert.equal(new Set(pairs).size, pairs.length, "somebody is in a course twice");
  const count = (name: string, value: string): number =>
    enrolled.filter(({ identifiers }) => identifiers[name] === value).length;
  for (const course of COURSES) assert.ok(count("course", course) <= seats, `${course} is too full`);
  for (const course of full) assert.equal(count("course", course), seats, `${course} has a seat left`);
  for (let i = 0; i < studentCount; i++) {
    assert.ok(count("student", `s${i}`) <= COURSES_PER_STUDENT, `s${i} is too busy`);
  }
  return accepted;
}
