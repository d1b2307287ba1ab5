import assert from "node:assert/strict";
import { failure, note, sharedTestServer, storeOf } from "../support.ts";
import { type Consuming, consuming, handled, notes, records, soon } from "./consuming.ts";

const server = sharedTestServer();

Deno.test("a handler that fails, or whose result is rejected, is called again, and then its event is parked", async () => {
  const store = storeOf(server);
  await store.append(notes(3, 2));
  await using consumer = consuming(store, {
    handle({ sequence }, { attempt }) {
      if (sequence === 1) throw new RangeError("too bad");
      if (sequence === 2) return { type: "Noted", identifiers: { none: [] }, payload: { text: "" } };
      if (sequence === 3 && attempt === 1) throw new RangeError("once");
      return undefined;
    },
  }, { attempts: 2 });
  await handled(consumer, 3, 4, 5, 6);
  await soon(() => assert.deepEqual(consumer.sequences("parked").sort(), [1, 2]));
  assert.deepEqual(consumer.sequences("failed").sort(), [1, 2, 3]);
  for (const kind of ["failed", "parked"] as const) {
    assert.ok(errorOf(consumer, kind, 1) instanceof RangeError);
  }
  const parked = Object.values(await records(store, "parked-"));
  assert.deepEqual(
    parked.map(({ time: _, ...record }) => record).sort((a, b) =>
      Number(a["sequence"]) - Number(b["sequence"])
    ),
    [
      { sequence: 1, type: "Noted", key: "k0", error: "RangeError: too bad", attempts: 2 },
      {
        sequence: 2,
        type: "Noted",
        key: "k1",
        error: 'TypeError: tag "none" has no string as value',
        attempts: 2,
      },
    ],
  );
});

/** The error in the notification of this kind about an event. */
function errorOf({ notifications }: Consuming, kind: "failed" | "parked", sequence: number): unknown {
  for (const one of notifications) {
    if ((one.kind === "failed" || one.kind === "parked") && one.kind === kind && one.sequence === sequence) {
      return one.error;
    }
  }
  return assert.fail(`no notification "${kind}" of event ${sequence}`);
}

/** A handler that fails for the sequences in the set. */
function failing(bad: Set<number>): { readonly order: number[]; handle(event: { sequence: number }): void } {
  const order: number[] = [];
  return {
    order,
    handle({ sequence }) {
      if (bad.has(sequence)) throw new RangeError(`bad ${sequence}`);
      order.push(sequence);
    },
  };
}

Deno.test("with parkKey, later events of the key are parked until the earlier ones are handled again or dropped", async () => {
  const store = storeOf(server);
  const consumers = await store.consumers();
  const parked = async (): Promise<number[]> =>
    (await consumers.get("c"))!.parked.map(({ sequence }) => sequence);
  await store.append(notes(2, 4));
  const bad = new Set([1]);
  const { order, handle } = failing(bad);
  const options = { attempts: 1, onFailure: "parkKey" } as const;
  {
    await using consumer = consuming(store, { handle }, options);
    await handled(consumer, 2, 4, 6, 8);
    await soon(async () => assert.deepEqual(await parked(), [1, 3, 5, 7]));
    await soon(() => assert.equal(errorOf(consumer, "parked", 3), undefined, "its handler was not called"));
  }
  // Another process knows the parked keys, too.
  await using consumer = consuming(store, { handle }, options);
  await store.append(notes(2, 1));
  await handled(consumer, 10);
  await soon(async () => assert.deepEqual(await parked(), [1, 3, 5, 7, 9]));
  assert.equal((await consumers.get("c"))!.parked[1]!.error, "an earlier event of the key is parked");

  assert.equal(await consumers.retry("c", 5), 1);
  await soon(async () => assert.ok(!(await consumers.get("c"))!.parked[2]!.retry));
  assert.equal(await consumers.drop("c", 1), 1);
  bad.add(5);
  await soon(async () => assert.deepEqual(await parked(), [3, 5, 7, 9]));
  assert.equal(await consumers.retry("c", "all"), 4);
  await soon(async () => assert.deepEqual(await parked(), [5, 7, 9]));
  bad.clear();
  await soon(async () => assert.ok((await consumers.get("c"))!.parked.every(({ retry }) => !retry)));
  assert.equal(await consumers.retry("c", "all"), 3);
  await soon(async () => assert.deepEqual(await parked(), []));
  assert.deepEqual(order.filter((sequence) => sequence % 2), [3, 5, 7, 9]);
  await store.append(note("11", { key: "k0" }));
  await soon(() => assert.ok(consumer.sequences("handled").includes(11)));
});

Deno.test("a parked event is handled again on request, with its effects, by the process that then owns it", async () => {
  const store = storeOf(server);
  const consumers = await store.consumers();
  await store.append(notes(1, 3));
  {
    await using consumer = consuming(store, failing(new Set([1, 2])), { attempts: 1 });
    await handled(consumer, 3);
    await soon(() => assert.equal(consumer.sequences("parked").length, 2));
  }
  assert.equal(await consumers.retry("c", 1), 1);
  assert.equal(await consumers.retry("c", 99), 0);
  await using consumer = consuming(store, {
    handle: ({ identifiers }) => ({ type: "StudentEnrolled", identifiers, payload: null }),
  });
  await soon(async () =>
    assert.deepEqual((await consumers.get("c"))!.parked.map(({ sequence }) => sequence), [2])
  );
  assert.deepEqual(
    (await store.read({ identifiers: { key: "k0" } }, { after: 3 })).events.map(({ payload }) => payload),
    [null],
  );
  await handled(consumer, 1);
});

Deno.test("consumers lists progress, members and parked events", async () => {
  const store = storeOf(server);
  const consumers = await store.consumers();
  assert.deepEqual(await consumers.list(), []);
  assert.equal(await consumers.get("c"), undefined);
  assert.equal((await failure(consumers.retry("c", "all"))).code, "ConsumerNotFound");
  await store.append(notes(5, 2));
  await using _ = consuming(store, failing(new Set([3])), { attempts: 1, partitions: 2 });
  await soon(async () => {
    const head = await store.head();
    assert.deepEqual(await consumers.list(), [{ name: "c", by: "key", head, lag: 0, members: 1, parked: 1 }]);
  });
  const { partitions, members, parked } = (await consumers.get("c"))!;
  assert.deepEqual(partitions, [0, 1].map((partition) => ({ partition, upTo: 10, member: members[0] })));
  assert.deepEqual(parked.map(({ time, ...event }) => (assert.ok(Date.parse(time)), event)), [
    { sequence: 3, type: "Noted", key: "k2", error: "RangeError: bad 3", attempts: 1 },
  ]);
  await store.projections.deleteType("consumer:c");
});
