import { Admission } from "../../src/write_queue/admission.ts";
import { delay } from "../../src/async/delay.ts";
import assert from "node:assert/strict";
import { done } from "../../src/store/api/outcome.ts";
import { conflictOf } from "../store/outcomes.ts";
import { settled, writeNamed } from "./fake_writer.ts";
import { endKind, held, makeQueue } from "./made_queue.ts";

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
  await delay(80);
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
  ends.push(queue.alone(new Admission("alone"), () => Promise.resolve(order.push(...writer.groups.flat()))));
  ends.push(write("c"));
  while (writer.isRunning) await writer.end();
  await Promise.all(ends);
  assert.deepEqual(order, ["first", "a", "b"]);
  assert.deepEqual(writer.groups, [["first"], ["a"], ["b"], ["c"]]);
});

Deno.test("the values of its conditions count for the size of a write in a group, since they take long to hand over", async () => {
  const { queue, writer } = makeQueue({ waitingMax: 200 });
  const types = Array.from({ length: 200 }, (_, i) => `t${i}`);
  const conditions = [{ failIfEventsMatch: [{ types, identifiers: [], metadata: [] }], afterSequence: 0 }];
  const write = { ...writeNamed("a"), conditions };
  const ends = Array.from({ length: 170 }, () => queue.write(new Admission("write"), write));
  while (writer.isRunning) await writer.end();
  await Promise.all(ends);
  assert.deepEqual(writer.groups.map(({ length }) => length), [1, 163, 6]);
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
  const ended = queue.alone(new Admission("reset"), alone.run);
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
  const joined = queue.write(new Admission("write", client.signal), writeNamed("b"));
  writer.takeMore();
  client.abort();
  await writer.end();
  assert.deepEqual([endKind(await first), endKind(await joined)], ["written", "written"]);
});
