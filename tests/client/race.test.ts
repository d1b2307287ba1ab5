import assert from "node:assert/strict";
import type { EventStore } from "../../client/mod.ts";
import { capacity, courses, students } from "./school.ts";
import { listed, type SchoolEvents, startTestServer, storeOf } from "./support.ts";

const IS_LONG = Deno.env.get("EVENTSTORE_LONG_TESTS") === "1";

const CLIENTS = 20;
const COURSES = ["c1", "c2", "c3", "c4", "c5"];
const DECISIONS = IS_LONG ? 10_000 : 300;
const SEATS = DECISIONS / 20;
const STUDENTS = DECISIONS / 5;
const COURSES_PER_STUDENT = 3;

class Refusal extends Error {}

/** One decision under all rules. */
async function enrol(store: EventStore<SchoolEvents>, course: string, student: string): Promise<void> {
  await store.decide(
    { seats: capacity(course), taken: students(course), own: courses(student) },
    ({ seats = 0, taken, own }) => {
      if (taken.includes(student)) throw new Refusal("twice");
      if (own >= COURSES_PER_STUDENT) throw new Refusal("busy");
      if (taken.length >= seats) throw new Refusal("full");
      return { type: "StudentEnrolled", identifiers: { course, student }, payload: null };
    },
    { attempts: 1000 },
  );
}

Deno.test(`of ${CLIENTS} clients with ${DECISIONS} decisions on ${COURSES.length} courses none breaks a rule, and none is refused while there is a seat`, async () => {
  await using server = await startTestServer();
  const setup = storeOf(server);
  for (const course of COURSES) {
    await setup.append({ type: "CourseDefined", identifiers: { course }, payload: { capacity: SEATS } });
  }
  const below = (limit: number): number => Math.floor(Math.random() * limit);
  const full = new Set<string>();
  let accepted = 0;
  await Promise.all(Array.from({ length: CLIENTS }, async () => {
    const store = storeOf(server);
    for (let i = 0; i < DECISIONS / CLIENTS; i++) {
      const course = COURSES[below(COURSES.length)]!;
      try {
        await enrol(store, course, `s${below(STUDENTS)}`);
        accepted++;
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (error.message === "full") full.add(course);
      }
    }
  }));
  const enrolled = await listed(setup.readAll({ types: ["StudentEnrolled"] }));
  assert.equal(enrolled.length, accepted);
  const pairs = enrolled.map(({ identifiers }) => `${identifiers["course"]} ${identifiers["student"]}`);
  assert.equal(new Set(pairs).size, pairs.length, "somebody is in a course twice");
  const count = (name: string, value: string): number =>
    enrolled.filter(({ identifiers }) => identifiers[name] === value).length;
  for (const course of COURSES) assert.ok(count("course", course) <= SEATS, `${course} is too full`);
  for (const course of full) assert.equal(count("course", course), SEATS, `${course} has a seat left`);
  for (let i = 0; i < STUDENTS; i++) {
    assert.ok(count("student", `s${i}`) <= COURSES_PER_STUDENT, `s${i} is too busy`);
  }
});
