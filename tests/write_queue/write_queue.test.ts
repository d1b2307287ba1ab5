import assert from "node:assert/strict";
import { type EndedWrite, WriteQueue } from "../../src/write_queue/write_queue.ts";
import { ApiError } from "../../src/model/errors.ts";
import { done } from "../../src/store/outcome.ts";
import { conflictOf, kindOf, written } from "../store/outcomes.ts";
import { FakeWriter, settled, writeNamed } from "./fake_writer.ts";

function makeQueue(options: { waitingMax?: number; groupWritesMax?: number } = {}): {
  queue: WriteQueue;
  writer: FakeWriter;
  write: (name: string, bytes?: number) => Promise<EndedWrite>;
} {
  const writer = new FakeWriter();
  const queue = new WriteQueue({
    runGroup: writer.runGroup,
    waitingMax: options.waitingMax ?? 100,
    fullCode: "WriteQueueFull",
    ...(options.groupWritesMax === undefined ? {} : { groupWritesMax: options.groupWritesMax }),
  });
  return { queue, writer, write: (name, bytes) => queue.write("write", writeNamed(name), undefined, bytes) };
}

/** A job that runs alone until it is ended. */
function held(): { run: () => Promise<string>; end: () => void; begun: () => boolean } {
  const { promise, resolve } = Promise.withResolvers<string>();
  let begun = false;
  return {
    run: () => {
      begun = true;
      return promise;
    },
    end: () => resolve("done"),
    begun: () => begun,
  };
}

function assertRejected(act: () => unknown, code: string): void {
  assert.throws(act, (error) => error instanceof ApiError && error.code === code);
}

function firstSequence({ outcome }: EndedWrite): number {
  return written(outcome).firstSequence;
}

function endKind({ outcome }: EndedWrite): string | undefined {
  return kindOf(outcome);
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

Deno.test("no write of a group is answered before the group ended", async () => {
  const { writer, write } = makeQueue();
  const answered: string[] = [];
  for (const name of ["a", "b", "c"]) void write(name).then(() => answered.push(name));
  await settled();
  assert.deepEqual(answered, []);
  await writer.end();
  assert.deepEqual(answered, ["a"]);
  await writer.end();
  assert.deepEqual(answered, ["a", "b", "c"]);
});

Deno.test("a group ends before a job that runs alone, and the next one starts after it: the order of arrival stays", async () => {
  const { queue, writer, write } = makeQueue();
  const job = held();
  const other = held();
  write("a");
  write("b");
  const alone = queue.alone("reset", job.run, undefined);
  queue.alone("optimize", other.run, undefined);
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
  await assert.rejects(queue.alone("reset", () => Promise.reject(failure), undefined), failure);
  await assert.rejects(
    queue.alone("reset", () => {
      throw failure;
    }, undefined),
    failure,
  );
  write("a");
  assert.deepEqual(writer.groups, [["a"]]);
});

Deno.test("as many may wait as the setting says, the active one not counted, members of a running group counted", async () => {
  const { queue, writer, write } = makeQueue({ waitingMax: 3 });
  for (const name of ["active", "1", "2", "3"]) write(name);
  assertRejected(() => write("rejected"), "WriteQueueFull");
  assertRejected(() => queue.alone("reset", held().run, undefined), "WriteQueueFull");
  await writer.end();
  // Now 1 is active as the first of its group; 2 and 3 count as waiting.
  assert.deepEqual(writer.groups.at(-1), ["1", "2", "3"]);
  assert.equal(queue.queuedCount, 2);
  write("4");
  assertRejected(() => write("rejected"), "WriteQueueFull");
  await writer.end();
  assert.deepEqual(writer.groups.at(-1), ["4"]);
  await writer.end();
  for (const name of ["5", "6", "7", "8"]) write(name);
  assertRejected(() => write("rejected"), "WriteQueueFull");
});

Deno.test("a queue for one waiting request takes one active and one waiting", async () => {
  const { writer, write } = makeQueue({ waitingMax: 1 });
  write("a");
  write("b");
  assertRejected(() => write("c"), "WriteQueueFull");
  await writer.end();
  write("d");
  assertRejected(() => write("e"), "WriteQueueFull");
});

Deno.test("a group is seen from outside as one active request and waiting ones", async () => {
  const { queue, writer, write } = makeQueue();
  assert.deepEqual([queue.active, queue.queued, queue.queuedCount], [undefined, [], 0]);
  write("a");
  write("b");
  write("c");
  queue.alone("reset", held().run, undefined);
  const kinds = (): string[] => queue.queued.map(({ kind }) => kind);
  assert.equal(queue.active?.kind, "write");
  assert.deepEqual(kinds(), ["write", "write", "reset"]);
  await writer.end();
  assert.equal(queue.active?.kind, "write");
  assert.deepEqual(kinds(), ["write", "reset"]);
  assert.equal(queue.queuedCount, 2);
  await writer.end();
  assert.equal(queue.active?.kind, "reset");
  assert.deepEqual(kinds(), []);
});

Deno.test("the wait of a queued request counts from its arrival, the age of the active one from its turn", async () => {
  const { queue, writer, write } = makeQueue();
  const arrived = Date.now() * 1000;
  write("a");
  write("b");
  write("c");
  await new Promise((resolve) => setTimeout(resolve, 60));
  assert.ok(queue.active!.seconds >= 0.05);
  assert.ok(Math.abs(queue.active!.sinceMicros - arrived) < 50_000);
  await writer.end();
  assert.ok(queue.active!.seconds < 0.05, "b has only just got the turn");
  assert.ok(queue.active!.sinceMicros >= arrived + 50_000);
  assert.ok(queue.queued[0]!.seconds >= 0.05, "c has waited all along");
  assert.ok(Math.abs(queue.queued[0]!.sinceMicros - arrived) < 50_000);
});

Deno.test("each outcome goes to the write that it is about", async () => {
  const { writer, write } = makeQueue();
  const conflict = { list: "conditions", index: 0, cause: "eventMatches", sequence: 1 } as const;
  const first = write("a");
  const rest = ["b", "c", "d"].map(write);
  await writer.end();
  await writer.end((name) => {
    if (name === "b") return done({ kind: "conflict", conflict });
    return name === "c" ? { kind: "failed", reason: "the disk" } : undefined;
  });
  assert.equal(endKind(await first), "written");
  const ended = await Promise.all(rest);
  assert.deepEqual(ended.map(endKind), ["conflict", "failed", "written"]);
  assert.deepEqual(conflictOf(ended[0]!.outcome), conflict);
});

Deno.test("when the writer dies the outcome of the whole group is unknown, and the next group runs", async () => {
  const { writer, write } = makeQueue();
  write("a");
  const ends = [write("b"), write("c")];
  await writer.end();
  const next = write("d");
  await writer.fail(new Error("the writer worker died"));
  const unknown = { kind: "unknown", reason: "the writer worker died" };
  assert.deepEqual((await Promise.all(ends)).map(({ outcome }) => outcome), [unknown, unknown]);
  assert.deepEqual(writer.groups.at(-1), ["d"]);
  await writer.end();
  assert.equal(endKind(await next), "written");
});

Deno.test("the turns of a group add up to the time that the writer was busy", async () => {
  const { writer, write } = makeQueue();
  write("a");
  const ends = [write("b"), write("c"), write("d"), write("e")];
  const started = performance.now();
  await writer.end();
  await new Promise((resolve) => setTimeout(resolve, 80));
  await writer.end();
  const busySeconds = (performance.now() - started) / 1000;
  const turns = (await Promise.all(ends)).map(({ lockSeconds }) => lockSeconds);
  const sum = turns.reduce((total, seconds) => total + seconds, 0);
  assert.ok(sum >= 0.075 && sum <= busySeconds + 0.01, `${sum} s in all`);
  assert.equal(new Set(turns).size, 1);
});

Deno.test("a limit on the size of groups keeps the order", async () => {
  const { writer, write } = makeQueue({ groupWritesMax: 2 });
  for (const name of ["a", "b", "c", "d", "e", "f"]) write(name);
  while (writer.isRunning) await writer.end();
  assert.deepEqual(writer.groups, [["a"], ["b", "c"], ["d", "e"], ["f"]]);
});

Deno.test("a shutdown rejects waiting and new requests, and resolves when the running ones have ended", async () => {
  const { queue, writer, write } = makeQueue();
  const active = write("active");
  const waiting = [write("waiting"), queue.alone("reset", held().run, undefined)];
  const rejections = Promise.allSettled(waiting);
  let down = false;
  const shutdown = queue.shutdown().then(() => down = true);
  for (const result of await rejections) {
    assert.equal(result.status, "rejected");
    const reason: unknown = result.status === "rejected" && result.reason;
    assert.ok(reason instanceof ApiError && reason.code === "ShuttingDown");
  }
  assertRejected(() => write("arriving"), "ShuttingDown");
  assertRejected(() => queue.assertOpen(), "ShuttingDown");
  await settled();
  assert.equal(down, false, "the active write still runs");
  assert.equal(queue.active?.kind, "write");
  await writer.end();
  assert.equal(endKind(await active), "written");
  await shutdown;
  assert.deepEqual(writer.groups, [["active"]]);
  assert.equal(queue.active, undefined);
});

Deno.test("a shutdown lets every member of a running group finish", async () => {
  const { queue, writer, write } = makeQueue();
  write("a");
  const members = [write("b"), write("c")];
  await writer.end();
  const shutdown = queue.shutdown();
  await writer.end();
  assert.deepEqual((await Promise.all(members)).map(endKind), ["written", "written"]);
  await shutdown;
});

Deno.test("a shutdown of an idle queue is over at once, also the second time", async () => {
  const { queue, write } = makeQueue();
  queue.assertOpen();
  await queue.shutdown();
  await queue.shutdown();
  assertRejected(() => write("a"), "ShuttingDown");
});

Deno.test("a group holds at most 8 MiB, and a write that does not fit goes first in the next one", async () => {
  const { writer, write } = makeQueue();
  const MIB = 1024 * 1024;
  const ends = [write("first")];
  const waiting: [string, number][] = [["a", 6], ["b", 7], ["c", 30], ["d", 1], ["e", 1], ["f", 4], ["g", 0]];
  for (const [name, mib] of waiting) ends.push(write(name, mib * MIB));
  while (writer.isRunning) await writer.end();
  assert.deepEqual(writer.groups, [["first"], ["g"], ["a", "d", "e"], ["b"], ["c"], ["f"]]);
  assert.equal((await Promise.all(ends)).length, 8);
});

Deno.test("small writes pass a large one once, not again and again", async () => {
  const { writer, write } = makeQueue();
  const MIB = 1024 * 1024;
  const ends = [write("first"), write("large", 6 * MIB), write("small")];
  await writer.end();
  ends.push(write("later"), write("large too", 6 * MIB));
  while (writer.isRunning) await writer.end();
  await Promise.all(ends);
  assert.deepEqual(writer.groups, [["first"], ["small"], ["large", "later"], ["large too"]]);
});

Deno.test("no write passes a job that runs alone", async () => {
  const { queue, writer, write } = makeQueue();
  const MIB = 1024 * 1024;
  const ends: Promise<unknown>[] = [write("first"), write("a", 6 * MIB), write("b", 6 * MIB)];
  const order: string[] = [];
  ends.push(queue.alone("alone", () => Promise.resolve(order.push(...writer.groups.flat())), undefined));
  ends.push(write("c"));
  while (writer.isRunning) await writer.end();
  await Promise.all(ends);
  assert.deepEqual(order, ["first", "a", "b"]);
  assert.deepEqual(writer.groups, [["first"], ["a"], ["b"], ["c"]]);
});

Deno.test("the values of its conditions count for the size of a write in a group, since they take long to hand over", async () => {
  const { queue, writer } = makeQueue();
  const types = Array.from({ length: 10_000 }, (_, i) => `t${i}`);
  const conditions = [{ failIfEventsMatch: [{ types, identifiers: [], metadata: [] }], afterSequence: 0 }];
  const names = ["first", "a", "b", "c", "d"];
  const ends = names.map((name) => queue.write("write", { ...writeNamed(name), conditions }, undefined));
  while (writer.isRunning) await writer.end();
  await Promise.all(ends);
  assert.deepEqual(writer.groups, [["first"], ["a", "b", "c"], ["d"]]);
});

Deno.test("writes that come while a group begins may join it, up to one that is large or runs alone", async () => {
  const { queue, writer, write } = makeQueue();
  const first = write("a");
  const joining = [write("b"), write("c", 1000)];
  writer.takeMore();
  assert.deepEqual(writer.groups, [["a", "b", "c"]]);
  assert.equal(queue.queuedCount, 2, "those that have joined count as waiting");
  const later = [write("large", 2 * 1024 * 1024), write("d")];
  writer.takeMore();
  assert.deepEqual(writer.groups, [["a", "b", "c"]]);
  const alone = held();
  const ended = queue.alone("reset", alone.run, undefined);
  await writer.end((name) => name === "b" ? { kind: "failed", reason: "no room" } : undefined);
  assert.deepEqual((await Promise.all([first, ...joining])).map(endKind), ["written", "failed", "written"]);
  // A large one lets others pass once.
  assert.deepEqual(writer.groups.at(-1), ["d"]);
  await writer.end();
  const behind = write("e");
  writer.takeMore();
  assert.deepEqual(writer.groups.at(-1), ["large"], "nobody passes the one that runs alone");
  await writer.end();
  alone.end();
  assert.equal(await ended, "done");
  await settled();
  assert.deepEqual(writer.groups.at(-1), ["e"]);
  await writer.end();
  await Promise.all([...later, behind]);
});

Deno.test("a group that others join stays as small as groups are", async () => {
  const { writer, write } = makeQueue({ groupWritesMax: 2 });
  const ends = ["a", "b", "c"].map((name) => write(name));
  writer.takeMore();
  assert.deepEqual(writer.groups, [["a", "b"]]);
  await writer.end();
  assert.deepEqual(writer.groups.at(-1), ["c"]);
  await writer.end();
  await Promise.all(ends);
});

Deno.test("a client that disconnects after its write has joined a group does not cancel it", async () => {
  const { queue, writer, write } = makeQueue();
  const first = write("a");
  const client = new AbortController();
  const joined = queue.write("write", writeNamed("b"), client.signal);
  writer.takeMore();
  client.abort();
  await writer.end();
  assert.deepEqual([endKind(await first), endKind(await joined)], ["written", "written"]);
});
