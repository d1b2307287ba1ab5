import { delay } from "../../src/async/delay.ts";
import assert from "node:assert/strict";
import { ApiError } from "../../src/model/errors.ts";
import { Admission } from "../../src/write_queue/admission.ts";
import type { EndedWrite } from "../../src/write_queue/write_queue.ts";
import { written } from "../store/outcomes.ts";
import { settled } from "./fake_writer.ts";
import { endKind, held, makeQueue } from "./made_queue.ts";

async function assertRejected(act: () => unknown, code: string): Promise<void> {
  await assert.rejects(async () => await act(), (error) => error instanceof ApiError && error.code === code);
}

function firstSequence({ outcome }: EndedWrite): number {
  return written(outcome).firstSequence;
}

Deno.test("a write that finds the turn free has it at once; those that wait in the meantime share the next one", async () => {
  const { writer, write } = makeQueue();
  const ends = ["a", "b", "c", "d"].map(write);
  assert.deepEqual(writer.groups, [["a"]]);
  await writer.end();
  assert.deepEqual(writer.groups, [["a"], ["b", "c", "d"]]);
  await writer.end();
  assert.deepEqual((await Promise.all(ends)).map(firstSequence), [1, 2, 3, 4]);
  assert.equal(written((await ends[0]!).outcome).storeId, "the store");
  assert.equal(writer.isRunning, false);
});

Deno.test("a group ends before a job that runs alone, and the next one starts after it: the order of arrival stays", async () => {
  const { queue, writer, write } = makeQueue();
  const job = held();
  const other = held();
  write("a");
  write("b");
  const alone = queue.alone(new Admission("reset"), job.run);
  queue.alone(new Admission("optimize"), other.run);
  write("c");
  await writer.end();
  assert.deepEqual(writer.groups, [["a"], ["b"]]);
  await writer.end();
  assert.deepEqual([job.begun(), other.begun()], [true, false]);
  write("d");
  assert.deepEqual(writer.groups.length, 2, "nothing runs beside a job that runs alone");
  job.end();
  assert.equal(await alone, "done");
  await settled();
  assert.equal(other.begun(), true);
  assert.equal(writer.groups.length, 2);
  other.end();
  await settled();
  assert.deepEqual(writer.groups, [["a"], ["b"], ["c", "d"]]);
});

Deno.test("a job that runs alone and throws frees the turn and rejects with what it threw", async () => {
  const { queue, writer, write } = makeQueue();
  const failure = new Error("failed");
  await assert.rejects(queue.alone(new Admission("reset"), () => Promise.reject(failure)), failure);
  await assert.rejects(
    queue.alone(new Admission("reset"), () => {
      throw failure;
    }),
    failure,
  );
  write("a");
  assert.deepEqual(writer.groups, [["a"]]);
});

Deno.test("as many may wait as the setting says, the active one not counted, members of a running group counted", async () => {
  const { queue, writer, write } = makeQueue({ waitingMax: 3 });
  for (const name of ["active", "1", "2", "3"]) write(name);
  await assertRejected(() => write("rejected"), "WriteQueueFull");
  await assertRejected(() => queue.alone(new Admission("reset"), held().run), "WriteQueueFull");
  await writer.end();
  // Now 1 is active as the first of its group; 2 and 3 count as waiting.
  assert.deepEqual(writer.groups.at(-1), ["1", "2", "3"]);
  assert.equal(queue.queuedCount, 2);
  write("4");
  await assertRejected(() => write("rejected"), "WriteQueueFull");
  await writer.end();
  assert.deepEqual(writer.groups.at(-1), ["4"]);
  await writer.end();
  for (const name of ["5", "6", "7", "8"]) write(name);
  await assertRejected(() => write("rejected"), "WriteQueueFull");
});

Deno.test("the wait of a queued request counts from its arrival, the age of the active one from its turn", async () => {
  const { queue, writer, write } = makeQueue();
  const arrived = Date.now() * 1000;
  write("a");
  write("b");
  write("c");
  await delay(60);
  assert.ok(queue.active!.age.seconds >= 0.05);
  assert.ok(Math.abs(queue.active!.age.sinceMicros - arrived) < 50_000);
  await writer.end();
  assert.ok(queue.active!.age.seconds < 0.05, "b has only just got the turn");
  assert.ok(queue.active!.age.sinceMicros >= arrived + 50_000);
  assert.ok(queue.queued[0]!.age.seconds >= 0.05, "c has waited all along");
  assert.ok(Math.abs(queue.queued[0]!.age.sinceMicros - arrived) < 50_000);
});

Deno.test("a shutdown rejects waiting and new requests, and resolves when the running ones have ended", async () => {
  const { queue, writer, write } = makeQueue();
  const active = write("active");
  const waiting = [write("waiting"), queue.alone(new Admission("reset"), held().run)];
  const rejections = Promise.allSettled(waiting);
  let down = false;
  const shutdown = queue.shutdown().then(() => down = true);
  for (const result of await rejections) {
    assert.equal(result.status, "rejected");
    const reason: unknown = result.status === "rejected" && result.reason;
    assert.ok(reason instanceof ApiError && reason.code === "ShuttingDown");
  }
  await assertRejected(() => write("arriving"), "ShuttingDown");
  await assertRejected(() => queue.assertOpen(), "ShuttingDown");
  await settled();
  assert.equal(down, false, "the active write still runs");
  assert.equal(queue.active?.kind, "write");
  await writer.end();
  assert.equal(endKind(await active), "written");
  await shutdown;
  assert.deepEqual(writer.groups, [["active"]]);
  assert.equal(queue.active, undefined);
});

Deno.test("a shutdown of an idle queue is over at once, also the second time", async () => {
  const { queue, write } = makeQueue();
  queue.assertOpen();
  await queue.shutdown();
  await queue.shutdown();
  await assertRejected(() => write("a"), "ShuttingDown");
});
