import {
  type Event,
  type EventStore as EmmettStore,
  isExpectedVersionConflictError,
} from "@event-driven-io/emmett";
import assert from "node:assert/strict";
import { ConnectionLost } from "../../../client/mod.ts";
import { memoryStore } from "../../../client/testing/mod.ts";
import { fetchTransport } from "../../../client/transport/fetch_transport.ts";
import { getEventStore } from "../../../integrations/emmett/mod.ts";
import { type Fault, FaultyTransport } from "../../client/faulty_transport.ts";
import { placeOf, storeOf } from "../../client/support.ts";
import { sharedServer } from "../../support/server_process.ts";
import { ascending } from "./emmett_carts.ts";

/* The event store for Emmett: its events in the store, its positions when many programs write, lost answers. */

const server = sharedServer({ env: { SERVICE_SUBJECTS: "customer" } });

const client = () => storeOf<Record<string, unknown>>(server);

type Added = Event<"ProductItemAdded", { n: number }>;

const added = (n: number): Added => ({ type: "ProductItemAdded", data: { n } });

async function positions(
  store: EmmettStore,
  stream: string,
  options?: { from: bigint },
): Promise<number[][]> {
  const { events } = await store.readStream<Added>(stream, options as never);
  return events.map(({ data, metadata }) => [Number(metadata.streamPosition), data.n]);
}

/** Positions from 1 to the last one, each with the number of the event. */
const numbered = (...numbers: number[]): number[][] => numbers.map((n, i) => [i + 1, n]);

Deno.test("another client reads data as payload, text metadata by name, and the stream as an identifier", async () => {
  const store = client();
  const emmett = getEventStore(store, {
    identifiers: ({ data }) => ({ customer: String(data["by"]) }),
  });
  const metadata = { correlationId: "c1", retries: 2, streamName: "not this" };
  const placed = { type: "OrderPlaced", data: { by: "Ada", at: new Date(0), cents: 7n }, metadata };
  await emmett.appendToStream("order-1", [placed]);
  const { events: [event] } = await store.read({
    identifiers: { stream: "order-1", customer: "Ada" },
    metadata: { correlationId: "c1" },
  });
  assert.equal(event?.type, "OrderPlaced");
  assert.deepEqual(event.payload, { by: "Ada", at: "1970-01-01T00:00:00.000Z", cents: "7" });
  const { writeKey, ...others } = event.metadata;
  assert.deepEqual(others, { correlationId: "c1", emmettMetadata: '{"retries":2}', streamPosition: "1" });
  const { events: [read] } = await emmett.readStream("order-1");
  assert.deepEqual(read?.metadata, {
    correlationId: "c1",
    retries: 2,
    streamName: "order-1",
    streamPosition: 1n,
    messageId: `${writeKey}:1`,
    globalPosition: 1n,
  });
});

Deno.test("a decision of the client and a command handler of Emmett write to one stream", async () => {
  const store = client();
  const emmett = getEventStore(store);
  const identifiers = { stream: "cart-1" };
  const count = { query: { identifiers }, initial: 0, apply: (sum: number) => sum + 1 };
  const decide = (): Promise<unknown> =>
    store.decide(count, (sum) => ({ type: "ProductItemAdded", identifiers, payload: { n: sum } }));
  await decide();
  await decide();
  const { nextExpectedStreamVersion } = await emmett.appendToStream("cart-1", [added(2)]);
  assert.equal(nextExpectedStreamVersion, 3n);
  await decide();
  const stale = emmett.appendToStream("cart-1", [added(9)], { expectedStreamVersion: 3n });
  await assert.rejects(stale, isExpectedVersionConflictError);
  await emmett.appendToStream("cart-1", [added(4)], { expectedStreamVersion: 4n });
  assert.deepEqual(await positions(emmett, "cart-1"), numbered(0, 1, 2, 3, 4));
  assert.deepEqual(await positions(emmett, "cart-1", { from: 1n }), numbered(0, 1, 2, 3, 4).slice(1));
  assert.deepEqual(await positions(emmett, "cart-1", { from: 3n }), numbered(0, 1, 2, 3, 4).slice(3));
  const ids = (await emmett.readStream("cart-1")).events.map(({ metadata }) => metadata.messageId);
  assert.equal(new Set(ids).size, 5);
});

Deno.test("appends at once without an expected version get positions without gaps", async () => {
  const stores = [getEventStore(client()), getEventStore(client())];
  await Promise.all(ascending(24).map((n) => stores[n % 2]!.appendToStream("cart-1", [added(n), added(-n)])));
  const read = await positions(stores[0]!, "cart-1");
  assert.deepEqual(read.map(([position]) => position), ascending(48));
  for (let i = 0; i < 48; i += 2) assert.equal(read[i]![1], -read[i + 1]![1]!);
});

Deno.test("a long stream is read in pages, and its end without the rest", async () => {
  const transport = new FaultyTransport(fetchTransport(placeOf(server.address).url!));
  const emmett = getEventStore(storeOf<Record<string, unknown>>(server, { transport }));
  const count = 2500;
  for (let n = 0; n < count; n += 100) {
    await emmett.appendToStream("long", ascending(100).map((i) => added(n + i)));
  }
  const sum = { evolve: (sum: number, { data }: Added) => sum + data.n, initialState: () => 0 };
  const { state, currentStreamVersion } = await emmett.aggregateStream<number, Added>("long", sum);
  assert.deepEqual([state, currentStreamVersion], [count * (count + 1) / 2, BigInt(count)]);
  transport.requests.length = 0;
  assert.deepEqual(await positions(emmett, "long", { from: 2498n }), [[2499, 2499], [2500, 2500]]);
  // The version, the event at the position, and the events behind it.
  assert.equal(transport.requests.length, 3);
  transport.requests.length = 0;
  await emmett.appendToStream("long", [added(0)], { expectedStreamVersion: 2500n });
  assert.equal(transport.requests.length, 2);
});

Deno.test("an append happens once, whichever answers are lost", async () => {
  const real = fetchTransport(placeOf(server.address).url!);
  const transport = new FaultyTransport(real);
  const emmett = getEventStore(storeOf<Record<string, unknown>>(server, { transport }));
  const others = getEventStore(client());
  let n = 0;
  for (const fault of ["request lost", "answer lost", "answer cut"] satisfies Fault[]) {
    for (const follows of [false, true]) {
      let writes = 0;
      transport.fault = async ({ path }) => {
        if (path !== "/write") return "none";
        // Another program writes to the stream between the two attempts.
        if (++writes === 2 && follows) await others.appendToStream("cart-1", [added(-1)]);
        return writes === 1 ? fault : "none";
      };
      const { nextExpectedStreamVersion } = await emmett.appendToStream("cart-1", [added(++n)]);
      const read = await positions(others, "cart-1");
      assert.deepEqual(read.map(([position]) => position), ascending(read.length));
      assert.deepEqual(read.filter(([, number]) => number === n), [[Number(nextExpectedStreamVersion), n]]);
    }
  }
  assert.equal((await positions(others, "cart-1")).length, 9);
});

Deno.test("an append with an expected version that lost to another one says so, although an answer was lost", async () => {
  const transport = new FaultyTransport(fetchTransport(placeOf(server.address).url!));
  const emmett = getEventStore(storeOf<Record<string, unknown>>(server, { transport }));
  let writes = 0;
  transport.fault = async ({ path }) => {
    if (path !== "/write") return "none";
    if (++writes > 1) return "none";
    await getEventStore(client()).appendToStream("cart-1", [added(1)]);
    return "answer lost";
  };
  const append = emmett.appendToStream("cart-1", [added(2)], { expectedStreamVersion: 0n });
  await assert.rejects(append, isExpectedVersionConflictError);
  assert.deepEqual(await positions(emmett, "cart-1"), numbered(1));
});

Deno.test("if every answer is lost, the error says that the outcome is unknown", async () => {
  const transport = new FaultyTransport(fetchTransport(placeOf(server.address).url!));
  const emmett = getEventStore(storeOf<Record<string, unknown>>(server, { transport }));
  transport.fault = ({ path }) => path === "/write" ? "answer lost" : "none";
  const append = emmett.appendToStream("cart-1", [added(1)]);
  await assert.rejects(append, (error) => error instanceof ConnectionLost && error.outcomeUnknown);
  assert.deepEqual(await positions(emmett, "cart-1"), numbered(1));
});

Deno.test("the data of an event whose payload was forgotten is null", async () => {
  const store = client();
  const emmett = getEventStore(store, { identifiers: () => ({ customer: "Ada" }) });
  await emmett.appendToStream("cart-1", [added(1)]);
  await store.forget({ name: "customer", value: "Ada" });
  const { events } = await emmett.readStream("cart-1");
  assert.deepEqual(events.map(({ data }) => data), [null]);
});

Deno.test("errors name the option, the event or the limit at fault, and nothing is written", async () => {
  const emmett = getEventStore(memoryStore());
  const rejects = async (work: () => Promise<unknown>, message: RegExp): Promise<void> =>
    await assert.rejects(work, { message });
  await rejects(() => emmett.readStream(""), /^streamName must be a non-empty string, not ""$/);
  await rejects(() => emmett.readStream("s", { from: -1n }), /^from must be a whole number .*, not -1$/);
  await rejects(
    () => emmett.readStream("s", { to: 1.5 as never }),
    /^to must be a whole number .*, not 1\.5$/,
  );
  await rejects(
    () => emmett.appendToStream("s", [added(1)], { expectedStreamVersion: -1 as never }),
    /^expectedStreamVersion must be a whole number .*, not -1$/,
  );
  await rejects(() => emmett.appendToStream("s", []), /^there is no event to append to the stream "s"$/);
  await rejects(
    () => emmett.appendToStream("s", [{ type: "Empty" } as never]),
    /^event Empty has no data$/,
  );
  await rejects(() => emmett.appendToStream("s", ascending(101).map(added)), /maxEventsPerWrite/);
  assert.equal(await emmett.streamExists("s"), false);
  await emmett.appendToStream("s", [added(1)], { expectedStreamVersion: 0 as never });
});
