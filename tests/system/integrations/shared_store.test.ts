import assert from "node:assert/strict";
import { EventStore } from "eventstore-client";
import {
  ApiError,
  changeCapacity,
  defineCourse,
  type Events,
  subscribe,
} from "../../../examples/course_subscriptions.ts";
import { startServer } from "../../support/server_process.ts";
import { needingTest } from "../../support/needing_test.ts";
import { missingForPython } from "../support/python_install.ts";
import { tcpUrlOf } from "../support/tcp_url.ts";
import { ADAPTER, PythonEnvironment } from "./python_environment.ts";
import { shareConsumer } from "./shared_consumer.ts";

/*
 * The example in TypeScript and the one in Python work on one store: each reads the events of the other, and together
 * they keep the rule.
 */

const CAPACITY = 30;
const STUDENTS = 40;
const EXAMPLE = `${ADAPTER}/examples/course_subscriptions.py`;

const missing = await missingForPython();
let environment: PythonEnvironment;

Deno.test.beforeAll(async () => {
  if (missing === undefined) environment = await PythonEnvironment.create();
});

Deno.test.afterAll(async () => {
  await environment?.[Symbol.asyncDispose]();
});

function sharingTest(
  name: string,
  test: (store: EventStore<Events>, python: (...args: string[]) => Promise<string>) => Promise<void>,
): void {
  needingTest(name, { missing, excused: true }, async () => {
    await using server = await startServer({ listen: "tcp", listenOnly: true });
    const url = tcpUrlOf(server);
    const variables = { ...environment.variables("9.5"), EVENTSTORE_URL: url };
    await test(new EventStore<Events>({ url }), (...args) => environment.run([EXAMPLE, ...args], variables));
  });
}

sharingTest("TypeScript and Python decide on the same events", async (store, python) => {
  assert.equal(await python("c1", "Ada"), "Ada: there is no such course\n");
  await defineCourse(store, "c1", 1);
  assert.equal(
    await python("c1", "Ada", "Ada"),
    "Ada has a seat\nAda: the student is in the course already\n",
  );
  await assert.rejects(subscribe(store, "c1", "Grace"), new ApiError("the course is full"));
  await changeCapacity(store, "c1", 2);
  await subscribe(store, "c1", "Grace");
  assert.equal(
    await python("c1", "Edsger", "Grace"),
    "Edsger: the course is full\nGrace: the student is in the course already\n",
  );
  const { events } = await store.read("*");
  assert.deepEqual(
    events.map(({ type, identifiers, payload }) => ({ type, identifiers, payload })),
    [
      { type: "CourseDefined", identifiers: { course: "c1" }, payload: { capacity: 1 } },
      { type: "StudentSubscribed", identifiers: { course: "c1", student: "Ada" }, payload: {} },
      { type: "CapacityChanged", identifiers: { course: "c1" }, payload: { capacity: 2 } },
      { type: "StudentSubscribed", identifiers: { course: "c1", student: "Grace" }, payload: null },
    ],
  );
});

sharingTest("the example of the page prints what the page shows", async (store, python) => {
  const page = await Deno.readTextFile(`${ADAPTER}/sharing.md`);
  const [, students] = /course_subscriptions\.py c1 (.+)\n/.exec(page)!;
  await defineCourse(store, "c1", 2);
  assert.equal(await python("c1", ...students!.split(" ")), /^```text\n([^`]+)```$/m.exec(page)![1]);
});

sharingTest("no seat is given twice while both write at once, and none stays free", async (store, python) => {
  await defineCourse(store, "c1", CAPACITY);
  const names = (by: string): string[] => Array.from({ length: STUDENTS }, (_, n) => `${by}-${n}`);
  const here = async (student: string): Promise<boolean> => {
    try {
      await subscribe(store, "c1", student);
      return true;
    } catch (error) {
      if (error instanceof ApiError) return false;
      throw error;
    }
  };
  const running = python("c1", ...names("python"));
  const subscribed = { types: ["StudentSubscribed"], identifiers: { course: "c1" } } as const;
  for await (const { events } of store.follow(subscribed)) if (events.length > 0) break;
  const seats: boolean[] = [];
  for (const student of names("typescript")) seats.push(await here(student));
  const printed = await running;
  const byPython = printed.split("\n").filter((line) => line.endsWith(" has a seat")).length;
  assert.equal(seats.filter(Boolean).length + byPython, CAPACITY);
  assert.ok(byPython > 0);
  const { events } = await store.read(subscribed);
  assert.equal(events.length, CAPACITY);
});

needingTest(
  "processes in TypeScript and Python share a consumer, also when one or the server is killed",
  { missing, excused: true },
  () => shareConsumer(environment),
);
