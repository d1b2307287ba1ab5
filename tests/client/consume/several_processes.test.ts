import assert from "node:assert/strict";
import type { EventStore, StoredEvent } from "../../../client/mod.ts";
import { seededRandom, testSeed } from "../../support/test_seed.ts";
import { listed, note, type SchoolEvents, sharedTestServer, storeOf } from "../support.ts";
import { type ConsumerProcess, startConsumer } from "./consumer_process.ts";
import { consuming, handled, notes, records, soon } from "./consuming.ts";

const server = sharedTestServer();

const effectsIn = (store: EventStore<SchoolEvents>): Promise<StoredEvent<SchoolEvents>[]> =>
  listed(store.readAll({ types: ["StudentEnrolled"] }));

Deno.test("processes that are killed at any moment lose and repeat no effect, and keep the order of each key", async () => {
  const store = storeOf(server);
  const [kills, keys, each] = Deno.env.get("EVENTSTORE_LONG_TESTS") === "1" ? [30, 50, 100] : [3, 20, 20];
  const below = seededRandom(testSeed());
  const start = (): ConsumerProcess => startConsumer(server.address, { leaseSeconds: 1, milliseconds: 4 });
  await using stack = new AsyncDisposableStack();
  const processes = [start(), start(), start()].map((process) => stack.use(process));
  const total = keys * each;
  for (let written = 0; written < total;) {
    const part = notes(keys, each).slice(written, written += 100);
    await store.append(part);
  }
  for (let i = 1; i <= kills; i++) {
    const enough = i * total / (kills + 1);
    await soon(async () => assert.ok((await store.head()).sequence >= total + enough));
    const victim = below(processes.length);
    processes[victim]!.send(i % 2 ? "SIGKILL" : "SIGTERM");
    processes[victim] = stack.use(start());
  }
  await soon(async () => assert.ok((await store.head()).sequence >= 2 * total));
  const effects = await effectsIn(store);
  assert.equal(effects.length, total);
  for (let key = 0; key < keys; key++) {
    const own = effects.filter(({ identifiers }) => identifiers["key"] === `k${key}`);
    const wanted = Array.from({ length: each }, (_, i) => String(keys * i + key + 1));
    assert.deepEqual(own.map(({ metadata }) => metadata["of"]), wanted);
    assert.equal((await store.projections.get("count", `k${key}`))?.payload, each);
  }
});

Deno.test("a process that was suspended loses its lease, and can commit nothing", async () => {
  const store = storeOf(server);
  await using suspended = startConsumer(server.address, { leaseSeconds: 1, milliseconds: 40 });
  await store.append(notes(20, 5));
  await soon(async () => assert.ok((await effectsIn(store)).length > 0));
  suspended.send("SIGSTOP");
  await using other = consuming(store, {
    handle: ({ sequence }) => ({
      type: "StudentEnrolled",
      metadata: { of: String(sequence), by: "other" },
      payload: null,
    }),
  });
  await soon(async () => assert.equal((await store.head()).sequence, 200));
  assert.equal(other.notifications.filter(({ kind }) => kind === "takeover").length, 1);
  await other.end();
  suspended.send("SIGCONT");
  await store.append(note("101", { key: "k0" }));
  const effects = await (async () => {
    await soon(async () => assert.ok((await store.head()).sequence > 201));
    return await effectsIn(store);
  })();
  assert.equal(new Set(effects.map(({ metadata }) => metadata["of"])).size, 101);
  assert.equal(effects.length, 101);
});

Deno.test("processes share the partitions evenly, and one that ends leaves its own to the others", async () => {
  const store = storeOf(server);
  const owners = async (): Promise<number[]> => {
    const counts = new Map<unknown, number>();
    for (const { owner } of Object.values(await records(store, "partition-"))) {
      counts.set(owner, (counts.get(owner) ?? 0) + 1);
    }
    return [...counts.values()].sort();
  };
  await using first = consuming(store, {});
  await soon(async () => assert.deepEqual(await owners(), [16]));
  const second = consuming(store, {});
  await soon(async () => assert.deepEqual(await owners(), [8, 8]));
  await store.append(notes(20, 1));
  await soon(() => {
    const all = [...first.sequences("handled"), ...second.sequences("handled")];
    assert.equal(all.length, 20);
    assert.ok(first.sequences("handled").length < 20 && second.sequences("handled").length < 20);
  });
  await second.end();
  await soon(async () => assert.deepEqual(await owners(), [16]));
  await store.append(note("", { key: "k" }));
  await soon(() => assert.ok(first.sequences("handled").includes(21)));
});

Deno.test("the signal of a handler is aborted when the lease is lost, and its result is not written", async () => {
  const store = storeOf(server);
  await store.append(note("1"));
  let lost: AbortSignal | undefined;
  await using consumer = consuming(store, {
    async handle(_, { signal }) {
      if (lost) return;
      lost = signal;
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return note("not written");
    },
  }, { partitions: 1 });
  await soon(() => assert.ok(lost));
  const [type, id] = ["consumer:c", "partition-0"];
  const { version, payload } = (await store.projections.get(type, id))!;
  await store.projections.write({ replace: [{ type, id, version, payload }] });
  await handled(consumer, 1);
  assert.ok(lost!.aborted);
  assert.equal((await store.head()).sequence, 1);
});
