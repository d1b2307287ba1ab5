import { type Event, inMemoryProjector, inMemorySingleStreamProjection } from "@event-driven-io/emmett";
import assert from "node:assert/strict";
import { fetchTransport } from "../../../client/transport/fetch_transport.ts";
import {
  type EventStoreConsumer,
  type EventStoreProcessor,
  eventStoreSingleStreamProjection,
  getEventStore,
} from "../../../integrations/emmett/mod.ts";
import { type Fault, FaultyTransport } from "../../client/faulty_transport.ts";
import { placeOf, storeOf } from "../../client/support.ts";
import { eventually } from "../../support/eventually.ts";
import { sharedServer } from "../../support/server_process.ts";
import { ascending } from "./emmett_carts.ts";

/* Consumers of the event store for Emmett: reactors, projectors and their checkpoints in the store. */

const server = sharedServer();
const client = storeOf<Record<string, unknown>>(server);
const emmett = getEventStore(client);

type Added = Event<"Added", { n: number }>;

const added = (n: number): Added => ({ type: "Added", data: { n } });

async function append(...numbers: number[]): Promise<void> {
  await emmett.appendToStream("cart-1", numbers.map(added));
}

/** Runs a consumer until the check passes, then stops it. */
async function running(consumer: EventStoreConsumer, check: () => void | Promise<void>): Promise<void> {
  const ended = consumer.start();
  await Promise.race([eventually(check, 30), ended]);
  assert.equal(consumer.isRunning, true);
  await consumer.stop();
  await ended;
  assert.equal(consumer.isRunning, false);
  await check();
}

const summary = eventStoreSingleStreamProjection<{ count: number; sum: number }, Added>({
  collectionName: "summary",
  canHandle: ["Added"],
  initialState: () => ({ count: 0, sum: 0 }),
  evolve: ({ count, sum }, { data }) => ({ count: count + 1, sum: sum + data.n }),
});

async function summaryOf(stream: string): Promise<unknown> {
  return (await client.projections.get("summary", stream))?.payload;
}

Deno.test("a reactor handles the events of its types in order, and its successor continues", async () => {
  const handled: number[] = [];
  const start = (): EventStoreConsumer => {
    const consumer = emmett.consumer();
    consumer.reactor<Added>({
      processorId: "mails",
      canHandle: ["Added"],
      eachMessage: ({ data, metadata }) => {
        assert.equal(metadata.streamName, "cart-1");
        handled.push(data.n);
      },
    });
    return consumer;
  };
  await append(1, 2);
  await emmett.appendToStream("cart-1", [{ type: "Other", data: {} }]);
  await client.append({ type: "Added", payload: { n: -1 } });
  const consumer = start();
  const ended = consumer.start();
  await eventually(() => assert.deepEqual(handled, [1, 2]), 30);
  await append(3);
  await eventually(() => assert.deepEqual(handled, [1, 2, 3]), 30);
  await consumer.stop();
  await ended;
  await append(4);
  const again = start();
  await running(again, () => assert.deepEqual(handled, [1, 2, 3, 4]));
  await append(5);
  await running(again, () => assert.deepEqual(handled, [1, 2, 3, 4, 5]));
});

Deno.test("startFrom begins at the end, or after a position, and stopAfter ends the consumer", async () => {
  await append(1, 2, 3);
  const handled: Record<string, number[]> = { end: [], after: [], beginning: [] };
  const starts = { end: "END", after: { lastCheckpoint: 2n }, beginning: "BEGINNING" } as const;
  const consumer = emmett.consumer();
  for (const [name, startFrom] of Object.entries(starts)) {
    consumer.reactor<Added>({
      processorId: name,
      startFrom,
      eachMessage: ({ data }) => void handled[name]!.push(data.n),
      stopAfter: ({ data }) => data.n === 4,
    });
  }
  const ended = consumer.start();
  await eventually(() => assert.deepEqual([handled["after"], handled["beginning"]], [[3], [1, 2, 3]]), 30);
  await eventually(() => assert.ok(consumer.processors.every(({ isActive }) => isActive)), 30);
  await append(4, 5);
  await ended;
  assert.deepEqual(handled, { end: [4], after: [3, 4], beginning: [1, 2, 3, 4] });
});

Deno.test("an error of a reactor ends the consumer, and what was handled before is not handled again", async () => {
  await append(1, 2, 3);
  const handled: number[] = [];
  let isBroken = true;
  const consumer = emmett.consumer();
  consumer.reactor<Added>({
    processorId: "mails",
    eachMessage: ({ data }) => {
      if (data.n === 2 && isBroken) throw new RangeError("no such address");
      handled.push(data.n);
    },
  });
  await assert.rejects(consumer.start(), RangeError);
  await assert.rejects(consumer.start(), RangeError);
  assert.deepEqual(handled, [1]);
  isBroken = false;
  await running(consumer, () => assert.deepEqual(handled, [1, 2, 3]));
});

Deno.test("several copies of a projector apply each event once, whichever answers are lost", async () => {
  const count = 300;
  const faults: Fault[] = ["none", "none", "request lost", "answer lost", "answer cut"];
  let writes = 0;
  const copies = ascending(3).map(() => {
    const transport = new FaultyTransport(fetchTransport(placeOf(server.address).url!));
    transport.fault = ({ path }) => path === "/write" ? faults[writes++ % faults.length]! : "none";
    const consumer = getEventStore(storeOf<Record<string, unknown>>(server, { transport })).consumer();
    consumer.projector<Added>({ projection: summary });
    return consumer;
  });
  const ended = copies.map((copy) => copy.start());
  for (let n = 1; n <= count; n += 30) await append(...ascending(30).map((i) => n + i - 1));
  await eventually(async () => {
    assert.deepEqual(await summaryOf("cart-1"), { count, sum: count * (count + 1) / 2 });
  }, 60);
  await Promise.all(copies.map((copy) => copy.stop()));
  await Promise.all(ended);
  assert.ok(writes > 3);
});

Deno.test("a consumer that is stopped while its write is lost continues at its checkpoint", async () => {
  await append(1, 2);
  const transport = new FaultyTransport(fetchTransport(placeOf(server.address).url!));
  const consumer = getEventStore(storeOf<Record<string, unknown>>(server, { transport })).consumer();
  consumer.projector<Added>({ projection: summary });
  let writes = 0;
  transport.fault = ({ path }) => {
    if (path !== "/write" || ++writes > 1) return "none";
    void consumer.stop();
    return "request lost";
  };
  await consumer.start();
  assert.equal(await summaryOf("cart-1"), undefined);
  await running(consumer, async () => assert.deepEqual(await summaryOf("cart-1"), { count: 2, sum: 3 }));
});

Deno.test("a projector that truncates at its start builds its documents again", async () => {
  await append(1, 2);
  const start = (options: object): EventStoreConsumer => {
    const consumer = emmett.consumer();
    consumer.projector<Added>({ projection: summary, ...options });
    return consumer;
  };
  const built = async (): Promise<void> => assert.deepEqual(await summaryOf("cart-1"), { count: 2, sum: 3 });
  await running(start({}), built);
  await client.projections.write({ create: [{ type: "summary", id: "stray", payload: {} }] });
  await running(start({ truncateOnStart: true, startFrom: "BEGINNING" }), async () => {
    // In this order: once the stray document is gone, the others are new.
    assert.equal(await summaryOf("stray"), undefined);
    await built();
  });
  await append(3);
  await running(start({}), async () => assert.deepEqual(await summaryOf("cart-1"), { count: 3, sum: 6 }));
});

Deno.test("Emmett's own projector in memory runs in a consumer", async () => {
  await append(1, 2);
  const projector = inMemoryProjector<Added>({
    projection: {
      name: "in memory",
      ...inMemorySingleStreamProjection<{ sum: number }, Added>({
        collectionName: "sums",
        canHandle: ["Added"],
        getDocumentId: ({ metadata }) => metadata.streamName,
        initialState: () => ({ sum: 0 }),
        evolve: ({ sum }: { sum: number }, { data }: Added) => ({ sum: sum + data.n }),
      }),
    },
  });
  const consumer = emmett.consumer({ processors: [projector as unknown as EventStoreProcessor] });
  await running(consumer, async () => {
    const document = await projector.database.collection<{ sum: number }>("sums").findOne(() => true);
    assert.equal(document?.sum, 3);
  });
});

Deno.test("after a reset, processors begin again with the new store", async () => {
  await append(1, 2);
  const handled: number[] = [];
  const consumer = emmett.consumer();
  consumer.reactor<Added>({ processorId: "mails", eachMessage: ({ data }) => void handled.push(data.n) });
  consumer.projector<Added>({ projection: summary });
  await running(consumer, async () => {
    if (!handled.includes(3)) {
      assert.deepEqual(handled, [1, 2]);
      assert.deepEqual(await summaryOf("cart-1"), { count: 2, sum: 3 });
      await server.client().reset();
      await append(3);
    }
    assert.deepEqual(handled, [1, 2, 3]);
    assert.deepEqual(await summaryOf("cart-1"), { count: 1, sum: 3 });
  });
});

Deno.test("mistakes in the setup of a consumer are errors that name the processor", () => {
  const consumer = emmett.consumer({ consumerId: "c1" });
  assert.throws(() => consumer.start(), { message: "consumer c1 has no processor" });
  consumer.reactor({ processorId: "mails", eachMessage: () => {} });
  assert.throws(() => consumer.reactor({ processorId: "mails", eachMessage: () => {} }), {
    message: 'consumer c1 already has a processor "mails"',
  });
  const projection = { canHandle: ["Added"], handle: () => {} };
  assert.throws(() => consumer.projector({ projection }), {
    message: "a projector needs a processorId, or a projection with a name",
  });
});
