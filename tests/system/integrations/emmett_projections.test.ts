import { type Event, projections } from "@event-driven-io/emmett";
import assert from "node:assert/strict";
import { fetchTransport } from "../../../client/transport/fetch_transport.ts";
import {
  type EmmettEventStore,
  eventStoreMultiStreamProjection,
  type EventStoreProjectionDefinition,
  eventStoreSingleStreamProjection,
  getEventStore,
} from "../../../integrations/emmett/mod.ts";
import { type Fault, FaultyTransport } from "../../client/faulty_transport.ts";
import { placeOf, storeOf } from "../../client/support.ts";
import { sharedServer } from "../../support/server_process.ts";
import { ascending } from "./emmett_carts.ts";

/* Inline projections of the event store for Emmett: documents change in the same write as the events. */

const server = sharedServer();
const client = storeOf<Record<string, unknown>>(server);

type CartEvent = Event<"Added", { by: string; n: number }> | Event<"Cleared", { by: string }>;

const added = (n: number, by = "Ada"): CartEvent => ({ type: "Added", data: { by, n } });
const cleared: CartEvent = { type: "Cleared", data: { by: "Ada" } };

const summary = eventStoreSingleStreamProjection<{ sum: number }, CartEvent>({
  collectionName: "cart-summary",
  canHandle: ["Added", "Cleared"],
  initialState: () => ({ sum: 0 }),
  evolve: ({ sum }, { type, data }) => type === "Cleared" ? null : { sum: sum + data.n },
});

const ofCustomer = eventStoreMultiStreamProjection<{ carts: string[] }, CartEvent>({
  name: "carts of a customer",
  collectionName: "customer-carts",
  canHandle: ["Added"],
  getDocumentId: ({ data }) => data.by,
  evolve: (document, { metadata }) => ({
    carts: [...new Set([...document?.carts ?? [], metadata.streamName])],
  }),
});

const storeWith = (
  // deno-lint-ignore no-explicit-any
  definitions: EventStoreProjectionDefinition<any>[],
  store = client,
): EmmettEventStore => getEventStore(store, { projections: projections.inline(definitions) });

async function documentOf(collection: string, id: string): Promise<unknown> {
  return (await client.projections.get(collection, id))?.payload;
}

Deno.test("documents are created, changed and deleted with the events of their streams", async () => {
  const emmett = storeWith([summary, ofCustomer]);
  await emmett.appendToStream("cart-1", [added(1), added(2)]);
  await emmett.appendToStream("cart-1", [added(3)]);
  await emmett.appendToStream("cart-2", [added(7), added(8, "Bob")]);
  assert.deepEqual(await documentOf("cart-summary", "cart-1"), { sum: 6 });
  assert.deepEqual(await documentOf("customer-carts", "Ada"), { carts: ["cart-1", "cart-2"] });
  assert.deepEqual(await documentOf("customer-carts", "Bob"), { carts: ["cart-2"] });
  await emmett.appendToStream("cart-1", [cleared]);
  assert.equal(await documentOf("cart-summary", "cart-1"), undefined);
  await emmett.appendToStream("cart-1", [added(4), cleared]);
  assert.equal(await documentOf("cart-summary", "cart-1"), undefined);
});

Deno.test("appends at once to other streams change a shared document, and none is lost", async () => {
  const emmett = storeWith([ofCustomer]);
  await Promise.all(ascending(12).map((n) => emmett.appendToStream(`cart-${n}`, [added(n)])));
  const { carts } = await documentOf("customer-carts", "Ada") as { carts: string[] };
  assert.deepEqual(carts.toSorted(), ascending(12).map((n) => `cart-${n}`).toSorted());
});

Deno.test("an append whose answer is lost changes a document once", async () => {
  const transport = new FaultyTransport(fetchTransport(placeOf(server.address).url!));
  const emmett = storeWith([summary], storeOf<Record<string, unknown>>(server, { transport }));
  for (const fault of ["request lost", "answer lost", "answer cut"] satisfies Fault[]) {
    let writes = 0;
    transport.fault = ({ path }) => path === "/write" && ++writes === 1 ? fault : "none";
    await emmett.appendToStream("cart-1", [added(1)]);
  }
  assert.deepEqual(await documentOf("cart-summary", "cart-1"), { sum: 3 });
  assert.equal((await emmett.readStream("cart-1")).currentStreamVersion, 3n);
});

Deno.test("an error of a projection writes nothing", async () => {
  const failing: EventStoreProjectionDefinition<CartEvent> = {
    name: "failing",
    canHandle: ["Added"],
    handle: async (_, { documents }) => {
      await documents.handle("cart-summary", "cart-1", () => ({ sum: 1 }));
      throw new RangeError("no such cart");
    },
  };
  const emmett = storeWith([failing]);
  await assert.rejects(emmett.appendToStream("cart-1", [added(1)]), RangeError);
  assert.equal(await emmett.streamExists("cart-1"), false);
  assert.equal(await documentOf("cart-summary", "cart-1"), undefined);
  await emmett.appendToStream("cart-1", [cleared]);
});

Deno.test("a projection of its own form reads its documents with their changes, and may write several", async () => {
  const seen: unknown[] = [];
  const own: EventStoreProjectionDefinition<CartEvent> = {
    name: "own",
    canHandle: ["Added"],
    handle: async (events, { documents }) => {
      for (const { data, metadata } of events) {
        seen.push(await documents.find("last", data.by));
        await documents.handle("last", data.by, () => ({ at: metadata.streamPosition, on: new Date(0) }));
        await documents.handle("first", data.by, (document) => document ?? { at: metadata.streamPosition });
      }
    },
  };
  await storeWith([own]).appendToStream("cart-1", [added(1), added(2)]);
  const on = "1970-01-01T00:00:00.000Z";
  assert.deepEqual(seen, [null, { at: "1", on }]);
  assert.deepEqual(await documentOf("last", "Ada"), { at: "2", on });
  assert.deepEqual(await documentOf("first", "Ada"), { at: "1" });
});

Deno.test("two projections of one name are rejected", () => {
  assert.throws(() => storeWith([summary, summary]), /multiple projections with the same name/);
});
