import assert from "node:assert/strict";
import { Admission } from "../../src/write_queue/admission.ts";
import { ApiError } from "../../src/model/errors.ts";
import { kindOf } from "../store/outcomes.ts";
import { writeNamed } from "./fake_writer.ts";
import { HeldRuns, makeQueue } from "./made_queue.ts";

/** A queue whose jobs write down when they begin, and run until they are ended. */
function setUp(waitingMax = 100) {
  const { queue, writer } = makeQueue({ waitingMax });
  const runs = new HeldRuns();
  return {
    queue,
    writer,
    begun: runs.begun,
    alone: (name: string) => queue.alone(new Admission(name), () => runs.begin(name)),
    next: (name: string) => queue.next(name, () => runs.begin(name)),
    end: (name: string) => runs.end(name),
  };
}

Deno.test("an urgent job takes a free turn at once", async () => {
  const { queue, begun, next, end } = setUp();
  const job = next("reset");
  assert.deepEqual(begun, ["reset"]);
  assert.equal(queue.active?.kind, "reset");
  await end("reset");
  assert.equal(await job, "reset");
  assert.equal(queue.active, undefined);
});

Deno.test("an urgent job waits for the turn to end, and goes before all waiting jobs, in order of arrival", async () => {
  const { begun, alone, next, end, queue, writer } = setUp();
  void alone("active");
  void alone("waiting");
  const write = queue.write(new Admission("write"), writeNamed("write"));
  void next("first");
  void next("second");
  assert.deepEqual(begun, ["active"]);
  await end("active");
  assert.deepEqual(begun, ["active", "first"]);
  // A request that joins now comes last. Another urgent one comes after those before it.
  void alone("late");
  void next("third");
  for (const name of ["first", "second", "third", "waiting"]) await end(name);
  assert.deepEqual(begun, ["active", "first", "second", "third", "waiting"]);
  assert.deepEqual(writer.groups, [["write"]]);
  await writer.end();
  assert.equal(kindOf((await write).outcome), "written");
  assert.deepEqual(begun.at(-1), "late");
  await end("late");
});

Deno.test("an urgent job waits for a group of writes that runs, and splits none", async () => {
  const { queue, writer, begun, next, end } = setUp();
  const writes = ["a", "b", "c"].map((name) => queue.write(new Admission("write"), writeNamed(name)));
  void next("reset");
  await writer.end();
  assert.deepEqual([begun, writer.groups], [["reset"], [["a"]]]);
  await end("reset");
  assert.deepEqual(writer.groups, [["a"], ["b", "c"]]);
  await writer.end();
  await Promise.all(writes);
});

Deno.test("an urgent job does not count as waiting: it needs no slot and is not shown among them", async () => {
  const { queue, alone, next, end } = setUp(1);
  void alone("active");
  void alone("waiting");
  assert.throws(() => queue.alone(new Admission("full"), () => Promise.resolve()), { name: "ApiError" });
  const urgent = next("reset");
  assert.deepEqual(queue.queued.map(({ kind }) => kind), ["waiting"]);
  assert.equal(queue.queuedCount, 1);
  await end("active");
  assert.equal(queue.active?.kind, "reset");
  assert.equal(queue.queuedCount, 1);
  await end("reset");
  await urgent;
  await end("waiting");
});

Deno.test("an urgent job that fails frees the turn", async () => {
  const { queue, begun, alone, end } = setUp();
  const failing = queue.next("reset", () => Promise.reject(new Error("no reset")));
  void alone("waiting");
  await assert.rejects(failing, /no reset/);
  assert.deepEqual(begun, ["waiting"]);
  await end("waiting");
});

Deno.test("a shutdown rejects waiting and new urgent jobs, and lets the running one finish", async () => {
  const { queue, alone, next, end, begun } = setUp();
  const running = next("running");
  void alone("waiting").catch(() => {});
  const urgent = next("urgent");
  let drained = false;
  const shutdown = queue.shutdown().then(() => drained = true);
  const isRejected = (error: unknown): boolean => error instanceof ApiError && error.code === "ShuttingDown";
  await assert.rejects(urgent, isRejected);
  assert.throws(() => void next("late"), isRejected);
  assert.equal(drained, false);
  await end("running");
  assert.equal(await running, "running");
  await shutdown;
  assert.deepEqual(begun, ["running"]);
});
