import assert from "node:assert/strict";
import { ClientDisconnected } from "../../../src/model/errors.ts";
import { kindOf, type PooledRead } from "../../../src/store/sqlite/workers/pooled_read.ts";
import { QueuedReads } from "../../../src/store/core/queued_reads.ts";
import { EVERYTHING } from "../chunks.ts";

interface Named extends PooledRead {
  readonly name: string;
}

function firstPart(name: string, options: Pick<PooledRead, "client" | "isUrgent"> = {}): Named {
  return { name, wanted: EVERYTHING, ...options, ...Promise.withResolvers<unknown>() };
}

function nextPart(name: string): Named {
  return { ...firstPart(name), wanted: { ...EVERYTHING, head: 1 } };
}

function alone(name: string, isUrgent = false): Named {
  return { ...firstPart(name, { isUrgent }), wanted: () => Promise.resolve() };
}

function waitingFor(...reads: readonly Named[]): QueuedReads<PooledRead> {
  const waiting = new QueuedReads(kindOf);
  for (const read of reads) waiting.add(read);
  return waiting;
}

function namesOf(reads: readonly PooledRead[]): string[] {
  return reads.map((read) => (read as Named).name);
}

/** Takes out all reads. */
function allOf(waiting: QueuedReads<PooledRead>, shortMax = 100): string[][] {
  const all: string[][] = [];
  while (waiting.count > 0) all.push(namesOf(waiting.next(shortMax)));
  return all;
}

Deno.test("short reads are taken together, in order and as many as a reader may have", () => {
  const reads = ["a", "b", "c", "d", "e", "f"].map((name) => firstPart(name));
  assert.deepEqual(allOf(waitingFor(...reads)), [["a", "b", "c", "d", "e", "f"]]);
  assert.deepEqual(allOf(waitingFor(...reads), 4), [["a", "b", "c", "d"], ["e", "f"]]);
});

Deno.test("a reader that may have no short reads executes others, in the same order", () => {
  const waiting = waitingFor(firstPart("a"), alone("p"), nextPart("n"), firstPart("b"), alone("ping", true));
  assert.equal(waiting.hasOthers, true);
  assert.deepEqual([1, 2, 3, 4].map(() => namesOf(waiting.next(0))), [["ping"], ["n"], ["p"], []]);
  assert.equal(waiting.hasOthers, false);
  assert.deepEqual(allOf(waiting), [["a", "b"]]);
});

Deno.test("a reader that still has short reads gets more of them, unless another read is next", () => {
  const waiting = waitingFor(firstPart("a"), firstPart("b"), firstPart("c"));
  assert.deepEqual(namesOf(waiting.nextShort(2)), ["a", "b"]);
  waiting.add(nextPart("n"));
  assert.deepEqual(waiting.nextShort(2), []);
  assert.deepEqual(namesOf(waiting.next(2)), ["n"]);
  assert.deepEqual(namesOf(waiting.nextShort(2)), ["c"]);
  waiting.add(firstPart("d"));
  waiting.add(alone("ping", true));
  assert.deepEqual(waiting.nextShort(2), []);
});

Deno.test("a read that may take long, or is not a chunk, is taken alone, and alternates with the others", () => {
  const waiting = waitingFor(firstPart("a"), nextPart("n1"), alone("p"), nextPart("n2"), firstPart("b"));
  assert.deepEqual(allOf(waiting), [["n1"], ["a", "b"], ["n2"], ["p"]]);
});

Deno.test("a long query is taken alone, and so is a read that asks for it", () => {
  const ofTypes = (name: string, types: string[]): Named => ({
    ...firstPart(name),
    wanted: { ...EVERYTHING, query: [{ types, identifiers: [], metadata: [] }] },
  });
  const waiting = waitingFor(
    firstPart("a"),
    ofTypes("many values", Array.from({ length: 101 }, (_, i) => `t${i}`)),
    ofTypes("a long value", ["x".repeat(5000)]),
    { ...firstPart("alone"), isAlone: true },
    ofTypes("b", ["t"]),
  );
  assert.deepEqual(allOf(waiting), [["a", "b"], ["many values"], ["a long value"], ["alone"]]);
});

Deno.test("an urgent read is taken first, and alone", () => {
  const waiting = waitingFor(
    firstPart("a"),
    firstPart("b", { isUrgent: true }),
    alone("ping", true),
    firstPart("c"),
  );
  assert.deepEqual(allOf(waiting), [["b"], ["ping"], ["a", "c"]]);
});

Deno.test("requeued reads come first again, in their order", () => {
  const waiting = waitingFor(...["a", "b", "c"].map((name) => firstPart(name)));
  const taken = waiting.next(100);
  waiting.add(firstPart("d"));
  for (const read of taken.slice(1)) waiting.requeue(read);
  assert.deepEqual(allOf(waiting), [["b", "c", "d"]]);
  assert.deepEqual(waiting.next(100), []);
});

Deno.test("a client may disconnect while its read waits, and again once it was requeued, but not in between", async () => {
  const leaving = new AbortController();
  const client = { disconnected: leaving.signal };
  const [early, late] = [firstPart("early", { client }), firstPart("late")];
  const waiting = waitingFor(firstPart("a"), early, late);
  const taken = waiting.next(100);
  leaving.abort();
  assert.deepEqual(namesOf(taken), ["a", "early", "late"]);
  for (const read of taken.slice(1)) waiting.requeue(read);
  await assert.rejects(early.promise, ClientDisconnected);
  assert.deepEqual(allOf(waiting), [["late"]]);

  const second = new AbortController();
  const again = firstPart("again", { client: { disconnected: second.signal } });
  waiting.add(again);
  waiting.requeue(waiting.next(100)[0]!);
  second.abort();
  await assert.rejects(again.promise, ClientDisconnected);
  assert.equal(waiting.count, 0);
});

Deno.test("all are rejected at once", async () => {
  const reads = [firstPart("a"), nextPart("n"), alone("p")];
  const waiting = waitingFor(...reads);
  waiting.rejectAll(new Error("no reader"));
  for (const { promise } of reads) await assert.rejects(promise, /no reader/);
  assert.equal(waiting.count, 0);
});
