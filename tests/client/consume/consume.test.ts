import assert from "node:assert/strict";
import { type PartitionRecord, Records } from "../../../client/consume/records.ts";
import { renew } from "../../../client/consume/registration.ts";
import type { EventStore } from "../../../client/mod.ts";
import { serverOf } from "../../../client/server.ts";
import { write } from "../../../client/writing.ts";
import { fetchTransport } from "../../../client/transport/fetch_transport.ts";
import { pause } from "../../support/eventually.ts";
import { type Fault, FaultyTransport } from "../faulty_transport.ts";
import { listed, note, placeOf, type SchoolEvents, sharedTestServer, storeOf } from "../support.ts";
import { consuming, handled, notes, records, soon } from "./consuming.ts";

const server = sharedTestServer();

Deno.test("each event has its effects once, in the order of its key, and keys run in parallel", async () => {
  const store = storeOf(server);
  await store.append(notes(10, 10));
  let [running, most] = [0, 0];
  await using _ = consuming(store, {
    async handle({ identifiers, sequence }) {
      most = Math.max(most, ++running);
      await pause(2);
      running--;
      return {
        type: "StudentEnrolled",
        identifiers: { ...identifiers, of: String(sequence) },
        payload: null,
      };
    },
  }, { concurrency: 4 });
  await soon(async () => assert.equal((await store.head()).sequence, 200));
  const effects = await listed(store.readAll({ types: ["StudentEnrolled"] }));
  for (let key = 0; key < 10; key++) {
    const own = effects.filter(({ identifiers }) => identifiers["key"] === `k${key}`);
    const sequences = Array.from({ length: 10 }, (_, i) => String(10 * i + key + 1));
    assert.deepEqual(own.map(({ identifiers }) => identifiers["of"]), sequences);
  }
  assert.ok(most > 1 && most <= 4, `${most} handlers at once`);
});

Deno.test("events without a value share one order, and so do all events without by", async () => {
  const store = storeOf(server);
  await store.append([note("1"), note("2"), note("3", { key: "k" }), note("4")]);
  for (const by of ["key", undefined]) {
    const order: number[] = [];
    await using consumer = consuming(store, {
      by: by!,
      async handle({ sequence }) {
        await pause(5 - sequence);
        order.push(sequence);
      },
    });
    await handled(consumer, 1, 2, 3, 4);
    assert.deepEqual(by ? order.filter((sequence) => sequence !== 3) : order, by ? [1, 2, 4] : [1, 2, 3, 4]);
    await consumer.end();
    await store.projections.deleteType("consumer:c");
  }
});

Deno.test("a result can change projections, under conditions; after a conflict the handler reads again", async () => {
  const store = storeOf(server);
  await store.append(notes(2, 10));
  let calls = 0;
  await using consumer = consuming(store, {
    async handle() {
      calls++;
      const total = await store.projections.get<number>("total", "all");
      const next = { type: "total", id: "all", payload: (total?.payload ?? 0) + 1 };
      return {
        projections: total ? { replace: [{ ...next, version: total.version }] } : { create: [next] },
        conditions: { query: { types: ["CourseDefined"] } },
      };
    },
  });
  await handled(consumer, ...Array.from({ length: 20 }, (_, i) => i + 1));
  assert.equal((await store.projections.get("total", "all"))?.payload, 20);
  assert.ok(calls >= 20);
  assert.deepEqual(consumer.sequences("failed"), []);
});

Deno.test("an unfulfilled condition of one event does not depend on the other events of the write", async () => {
  const store = storeOf(server);
  await store.append(notes(20, 1));
  await using _ = consuming(store, {
    async handle() {
      // Without a condition of its own write, two results would see no other.
      const query = { types: ["CourseDefined" as const] };
      if ((await store.read(query)).events.length) return;
      return {
        events: { type: "CourseDefined", payload: { capacity: 1 } },
        conditions: { query },
      };
    },
  }, { partitions: 1 });
  await soon(async () => {
    const [[, partition]] = Object.entries(await records(store, "partition-")) as [[string, { done: [] }]];
    assert.deepEqual({ ...partition, mark: 0, owner: 0, checkpoint: 0 }, {
      checkpoint: 0,
      done: [],
      owner: 0,
      mark: 0,
    });
    assert.ok((partition as unknown as { checkpoint: { sequence: number } }).checkpoint.sequence >= 20);
  });
  assert.equal((await listed(store.readAll({ types: ["CourseDefined"] }))).length, 1);
});

Deno.test("lost requests and answers repeat no effect", async () => {
  const store = storeOf(server);
  await store.append(notes(5, 12));
  const transport = new FaultyTransport(fetchTransport(placeOf(server.address).url!));
  let requests = 0;
  transport.fault = (): Fault =>
    (["none", "answer lost", "none", "request lost", "none"] as const)[requests++ % 5]!;
  await using _ = consuming(storeOf(server, { transport }), {
    handle: ({ sequence }) => ({
      type: "StudentEnrolled",
      metadata: { of: String(sequence) },
      payload: null,
    }),
  });
  const effects = () => listed(store.readAll({ types: ["StudentEnrolled"] }));
  await soon(async () => assert.ok((await effects()).length >= 60));
  await pause(50);
  assert.equal(new Set((await effects()).map(({ metadata }) => metadata["of"])).size, 60);
  assert.equal((await effects()).length, 60);
});

Deno.test("an outage of the server, longer than reads are repeated and than the lease, does not end it", async () => {
  const store = storeOf(server);
  await store.append(notes(5, 2));
  const transport = new FaultyTransport(fetchTransport(placeOf(server.address).url!));
  let isDown = false;
  transport.fault = (): Fault => isDown ? "request lost" : "none";
  await using consumer = consuming(storeOf(server, { transport, retrySeconds: 0.1 }), {
    async handle({ sequence }) {
      if (sequence !== 3) return;
      isDown = true;
      await pause(1000);
      setTimeout(() => isDown = false, 400);
    },
  });
  await handled(consumer, ...Array.from({ length: 10 }, (_, i) => i + 1));
  assert.ok(!isDown);
});

Deno.test("it continues where it ended, in a store of text payloads too", async () => {
  const text = storeOf<{ Noted: string }>(server, { payload: "text" });
  await text.append([{ type: "Noted", payload: "not JSON" }, { type: "Noted", payload: "" }]);
  const store = text as unknown as EventStore<SchoolEvents>;
  const keys: string[] = [];
  const handle = (_: unknown, { key }: { readonly key: string }): void => void keys.push(key);
  {
    await using consumer = consuming(store, { handle });
    await handled(consumer, 1, 2);
  }
  await text.append({ type: "Noted", payload: "" });
  await using consumer = consuming(store, { handle });
  await handled(consumer, 3);
  const { storeId } = await text.head();
  assert.deepEqual(keys, [1, 2, 3].map((sequence) => `c:${storeId}:${sequence}`));
});

Deno.test("after a reset, and after its type was deleted, it begins anew", async () => {
  const store = storeOf(server);
  await store.append(note("1"));
  await using consumer = consuming(store, {});
  await handled(consumer, 1);
  await server.client().reset();
  await store.append([note("1"), note("2")]);
  await handled(consumer, 1, 1, 2);
  await store.projections.deleteType("consumer:c");
  await handled(consumer, 1, 1, 1, 2, 2);
});

Deno.test("partitions of a void history begin anew only when its parked events are gone", async () => {
  const transport = new FaultyTransport(fetchTransport(placeOf(server.address).url!));
  const records = new Records(serverOf({ transport, retrySeconds: 0 }), "void");
  const { signal } = new AbortController();
  const parked = records.created("parked-0-3", { sequence: 3 });
  const partition = records.created("partition-0", { checkpoint: { storeId: "old", sequence: 5 }, done: [] });
  await write(records.server, [], { projections: { create: [partition, parked] } });
  const now = async () => {
    const { value } = (await records.read<PartitionRecord>("partition-0", signal))!;
    return [value.checkpoint.sequence, (await records.list(signal)).has("parked-0-3")];
  };
  transport.fault = ({ body }) => body?.includes('"delete":[{') ? "request lost" : "none";
  await renew(records, signal);
  assert.deepEqual(await now(), [5, true]);
  transport.fault = () => "none";
  await renew(records, signal);
  assert.deepEqual(await now(), [0, false]);
});

Deno.test("an orderly end waits for handlers, and releases everything", async () => {
  const store = storeOf(server);
  await store.append(note("1", { key: "k" }));
  let begun = false;
  const consumer = consuming(store, {
    async handle() {
      begun = true;
      await pause(100);
      return note("done", { key: "other" });
    },
  });
  await soon(() => assert.ok(begun));
  await consumer.end();
  assert.equal((await store.head()).sequence, 2);
  assert.deepEqual(await records(store, "member-"), {});
  for (const { owner } of Object.values(await records(store, "partition-"))) assert.equal(owner, undefined);
});

Deno.test("a handler that does not end is cut off after the time of a lease", async () => {
  const store = storeOf(server);
  await store.append(note("1"));
  let signal: AbortSignal | undefined;
  const consumer = consuming(store, {
    handle: (_, context) => (signal = context.signal, new Promise(() => {})),
  });
  await soon(() => assert.ok(signal));
  await consumer.end();
  assert.ok(signal!.aborted);
});
