import assert from "node:assert/strict";
import type { StoredEvent } from "../../client/mod.ts";
import {
  ApiError,
  changeCapacity,
  COURSES_PER_STUDENT,
  defineCourse,
  type Events,
  subscribe,
} from "../../examples/course_subscriptions.ts";
import { storeOf } from "../client/support.ts";
import {
  carelessRace,
  CLIENTS,
  historyOf,
  inventedHistory,
  isAllowed,
  race,
  server,
  shuffled,
} from "./race.ts";

const COURSES = ["c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"];
const STUDENTS = Array.from({ length: CLIENTS }, (_, i) => `s${i}`);
const SEATS = Deno.env.get("EVENTSTORE_LONG_TESTS") === "1" ? 8 : 4;

interface Outcome {
  readonly faults: string[];
  readonly capacities: Map<string, number>;
  readonly subscriptions: { readonly course: string; readonly student: string }[];
}

/** Replays the events, and collects the violations of rules at the time of each event. */
function replayed(events: readonly StoredEvent<Events>[]): Outcome {
  const outcome: Outcome = { faults: [], capacities: new Map(), subscriptions: [] };
  const { faults, capacities, subscriptions } = outcome;
  for (const event of events) {
    const [course, student] = [String(event.identifiers["course"]), String(event.identifiers["student"])];
    if (event.type !== "StudentSubscribed") {
      capacities.set(course, event.payload.capacity);
      continue;
    }
    const inCourse = subscriptions.filter((other) => other.course === course);
    const ofStudent = subscriptions.filter((other) => other.student === student);
    if (inCourse.length >= (capacities.get(course) ?? 0)) faults.push(`${course} is over capacity`);
    if (ofStudent.length >= COURSES_PER_STUDENT) faults.push(`${student} has too many courses`);
    if (ofStudent.some((other) => other.course === course)) faults.push(`${student} is in ${course} twice`);
    subscriptions.push({ course, student });
  }
  return outcome;
}

/** The violations at the end, after each student has tried each course. */
function faultsOf(
  events: readonly StoredEvent<Events>[],
  courses: readonly string[],
  students: readonly string[],
): string[] {
  const { faults, capacities, subscriptions } = replayed(events);
  const count = (name: "course" | "student", value: string): number =>
    subscriptions.filter((one) => one[name] === value).length;
  for (const course of courses) {
    if (count("course", course) >= capacities.get(course)!) continue;
    for (const student of students) {
      const isIn = subscriptions.some((one) => one.course === course && one.student === student);
      if (!isIn && count("student", student) < COURSES_PER_STUDENT) {
        faults.push(`${student} could still be in ${course}`);
      }
    }
  }
  return faults;
}

Deno.test("course subscriptions: no course is over capacity, no student over the limit, and no seat free for whom it was rejected", async () => {
  const setup = storeOf<Events>(server);
  for (const course of COURSES) await defineCourse(setup, course, SEATS);
  const wishes = shuffled(COURSES.flatMap((course) => STUDENTS.map((student) => ({ course, student }))));
  await race<Events>(async (store, client) => {
    if (client === 0) {
      // Fewer seats let no student in later, so at the end all rejections are still right.
      await isAllowed(ApiError, () => changeCapacity(store, "c1", SEATS / 2));
    }
    for (const { course, student } of wishes.filter((_, i) => i % CLIENTS === client)) {
      await isAllowed(ApiError, () => subscribe(store, course, student));
    }
  });
  assert.deepEqual(faultsOf(await historyOf<Events>(), COURSES, STUDENTS), []);
});

Deno.test("course subscriptions: without conditions, courses and students are over the limit, and it is noticed", async () => {
  const setup = storeOf<Events>(server);
  for (const course of ["full", ...STUDENTS]) await defineCourse(setup, course, 2);
  await carelessRace<Events>((store, client) => subscribe(store, "full", `s${client}`));
  await carelessRace<Events>((store, client) => subscribe(store, `s${client}`, "busy"));
  const { faults } = replayed(await historyOf<Events>());
  assert.equal(faults.filter((fault) => fault === "full is over capacity").length, CLIENTS - 2);
  assert.equal(
    faults.filter((fault) => fault === "busy has too many courses").length,
    CLIENTS - COURSES_PER_STUDENT,
  );
});

Deno.test("course subscriptions: a seat that is free after a rejection is noticed", () => {
  const events = inventedHistory<Events>(
    { type: "CourseDefined", identifiers: { course: "c1" }, payload: { capacity: 2 } },
    { type: "StudentSubscribed", identifiers: { course: "c1", student: "s1" }, payload: null },
  );
  assert.deepEqual(faultsOf(events, ["c1"], ["s1", "s2"]), ["s2 could still be in c1"]);
});
