import { delay } from "../../src/async/delay.ts";
import assert from "node:assert/strict";
import { ApiError, ClientDisconnected } from "../../src/model/errors.ts";
import type { Client } from "../../src/store/api/store.ts";
import { Admission } from "../../src/write_queue/admission.ts";
import { writeNamed } from "./fake_writer.ts";
import { HeldRuns, makeQueue } from "./made_queue.ts";

/** A queue, and pre-checks that run until they are ended. */
function setUp(waitingMax = 100) {
  const { queue, writer } = makeQueue({ waitingMax });
  const runs = new HeldRuns();
  const clients = new Map<string, Client>();
  const run = (name: string) => (client: Client): Promise<string> => {
    clients.set(name, client);
    return runs.begin(name);
  };
  return {
    queue,
    writer,
    begun: runs.begun,
    clients,
    prepare: async (name: string, client?: AbortSignal) =>
      await queue.preCheck(new Admission(name, client), run(name)),
    end: (name: string) => runs.end(name),
  };
}

function rejection(code: string): (error: unknown) => boolean {
  return (error) => error instanceof ApiError && error.code === code;
}

Deno.test("pre-checks run one at a time, in order, in parallel with the turns, and are shown as waiting", async () => {
  const { queue, writer, begun, prepare, end } = setUp();
  const first = prepare("first");
  const second = prepare("second");
  void queue.write(new Admission("write"), writeNamed("a"));
  void queue.write(new Admission("write"), writeNamed("b"));
  assert.deepEqual([begun, writer.groups], [["first"], [["a"]]]);
  assert.equal(queue.queuedCount, 3);
  assert.deepEqual(queue.queued.map(({ kind }) => kind), ["first", "second", "write"]);
  await end("first");
  assert.equal(await first, "first");
  assert.deepEqual(begun, ["first", "second"]);
  assert.equal(queue.queuedCount, 2);
  await end("second");
  assert.equal(await second, "second");
  assert.equal(queue.queuedCount, 1);
});

Deno.test("a pre-check that fails does so alone", async () => {
  const { queue, prepare, end } = setUp();
  const failing = queue.preCheck(new Admission("failing"), () => Promise.reject(new Error("broken")));
  const next = prepare("next");
  await assert.rejects(failing, /broken/);
  await end("next");
  assert.equal(await next, "next");
});

Deno.test("pre-checks count for the limit; a request that has been admitted is not rejected again", async () => {
  const { queue, writer, prepare, end } = setUp(2);
  const returning = new Admission("write");
  returning.isAdmitted = true;
  void queue.write(new Admission("write"), writeNamed("active"));
  void prepare("first");
  void prepare("second");
  await assert.rejects(prepare("third"), rejection("WriteQueueFull"));
  await assert.rejects(queue.write(new Admission("write"), writeNamed("late")), rejection("WriteQueueFull"));
  void queue.preCheck(returning, () => Promise.resolve());
  assert.equal(queue.queuedCount, 3);
  await end("first");
  void queue.write(returning, writeNamed("returning"));
  await writer.end();
  assert.deepEqual(writer.groups, [["active"], ["returning"]]);
});

Deno.test("the only pre-check waits for no other, so a queue of no slots admits it", async () => {
  const { prepare, end } = setUp(0);
  const only = prepare("only");
  await assert.rejects(prepare("second"), rejection("WriteQueueFull"));
  await end("only");
  assert.equal(await only, "only");
});

Deno.test("a write that was admitted before goes before those that came later", async () => {
  const { queue, writer } = setUp();
  void queue.write(new Admission("write"), writeNamed("active"));
  void queue.write(new Admission("write"), writeNamed("early"));
  await delay(2);
  const returning = new Admission("write");
  returning.isAdmitted = true;
  await delay(2);
  void queue.alone(new Admission("reset"), () => Promise.resolve());
  void queue.write(returning, writeNamed("returning"));
  await writer.end();
  assert.deepEqual(writer.groups, [["active"], ["early", "returning"]]);
});

Deno.test("a client that disconnects is taken out at once, and the next begins when its work has ended", async () => {
  const { queue, begun, clients, prepare, end } = setUp();
  const [running, waiting] = [new AbortController(), new AbortController()];
  const first = prepare("first", running.signal);
  const second = prepare("second", waiting.signal);
  void prepare("third");
  waiting.abort();
  await assert.rejects(second, ClientDisconnected);
  running.abort();
  await assert.rejects(first, ClientDisconnected);
  assert.equal(queue.queuedCount, 1);
  assert.ok(clients.get("first")!.disconnected.aborted);
  assert.deepEqual(begun, ["first"]);
  await end("first");
  assert.deepEqual(begun, ["first", "third"]);
  await assert.rejects(prepare("gone", AbortSignal.abort()), ClientDisconnected);
});

Deno.test("a shutdown rejects pre-checks, and none begins after it", async () => {
  const { queue, begun, clients, prepare, end } = setUp();
  const rejected = [prepare("first"), prepare("second")].map((each) =>
    assert.rejects(each, rejection("ShuttingDown"))
  );
  await queue.shutdown();
  await Promise.all(rejected);
  assert.ok(clients.get("first")!.disconnected.aborted);
  await end("first");
  assert.deepEqual(begun, ["first"]);
  await assert.rejects(prepare("late"), rejection("ShuttingDown"));
});
