import assert from "node:assert/strict";
import { Admission } from "../../src/write_queue/admission.ts";
import { startHourlyOptimize } from "../../src/write_queue/hourly_optimize.ts";
import { ApiError } from "../../src/model/errors.ts";
import type { Outcome } from "../../src/store/api/outcome.ts";
import { eventually, pause } from "../support/eventually.ts";
import { DONE } from "../store/outcomes.ts";
import { writeNamed } from "./fake_writer.ts";
import { makeQueue } from "./made_queue.ts";

const PERIOD_MILLISECONDS = 10;

/** A queue, and a store of which only the statistics matter. */
function setUp(waitingMax = 9) {
  const { queue, writer } = makeQueue({ waitingMax });
  let runs = 0;
  const store = {
    outcome: (): Promise<Outcome<void>> => Promise.resolve(DONE),
    optimize(): Promise<Outcome<void>> {
      runs++;
      return store.outcome();
    },
  };
  const reported: Error[] = [];
  const start = (): Disposable => {
    const end = startHourlyOptimize(queue, store, (error) => reported.push(error), PERIOD_MILLISECONDS);
    return { [Symbol.dispose]: end };
  };
  return { queue, writer, store, runs: () => runs, reported, start };
}

Deno.test("the refresh runs again and again, first after one period, and stops when asked to", async () => {
  const { runs, reported, start } = setUp();
  {
    using _refresh = start();
    assert.equal(runs(), 0);
    await eventually(() => assert.ok(runs() >= 3));
  }
  const before = runs();
  await pause(5 * PERIOD_MILLISECONDS);
  assert.equal(runs(), before);
  assert.deepEqual(reported, []);
});

Deno.test("the refresh takes a turn of the queue: it waits for a write and delays the next one", async () => {
  const { queue, writer, store, runs, start } = setUp();
  const { promise, resolve } = Promise.withResolvers<Outcome<void>>();
  store.outcome = () => promise;
  queue.write(new Admission("write"), writeNamed("before"));
  using _refresh = start();
  await eventually(() => assert.equal(queue.queued[0]?.kind, "optimize"));
  assert.equal(runs(), 0);
  queue.write(new Admission("write"), writeNamed("behind"));
  await writer.end();
  assert.equal(queue.active?.kind, "optimize");
  assert.equal(runs(), 1);
  assert.deepEqual(writer.groups, [["before"]]);
  resolve(DONE);
  await eventually(() => assert.deepEqual(writer.groups, [["before"], ["behind"]]));
});

Deno.test("a refresh that finds the queue full or shut down is skipped silently", async () => {
  const { queue, writer, runs, reported, start } = setUp(1);
  queue.write(new Admission("write"), writeNamed("active"));
  queue.write(new Admission("write"), writeNamed("waiting"));
  using _refresh = start();
  await pause(5 * PERIOD_MILLISECONDS);
  assert.equal(queue.queuedCount, 1);
  await writer.end();
  await writer.end();
  await eventually(() => assert.ok(runs() > 0));
  await queue.shutdown();
  const before = runs();
  await pause(5 * PERIOD_MILLISECONDS);
  assert.equal(runs(), before);
  assert.deepEqual(reported, []);
});

Deno.test("a refresh that fails is reported, and the next one is tried", async () => {
  const { store, runs, reported, start } = setUp();
  store.outcome = () => Promise.resolve({ kind: "failed", reason: "the disk" });
  using _refresh = start();
  await eventually(() => assert.ok(runs() >= 2 && reported.length >= 1));
  assert.ok(reported[0] instanceof ApiError && reported[0].detail?.includes("the disk"));
  store.outcome = () => Promise.reject(new Error("the writer worker died"));
  await eventually(() => assert.match(reported.at(-1)!.message, /writer worker died/));
});
