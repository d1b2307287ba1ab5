import assert from "node:assert/strict";
import { Refused, type StoredEvent } from "../../client/mod.ts";
import { type Events, type Order, placeOrder } from "../../examples/prevent_duplicates.ts";
import { carelessRace, CLIENTS, historyOf, race, shuffled } from "./race.ts";

const ORDERS: readonly Order[] = Array.from({ length: 10 }, (_, i) => (
  { key: `key ${i}`, product: "lamp", quantity: i + 1 }
));

/** Keys under which more than one order is recorded. */
function faultsOf(events: readonly StoredEvent<Events>[]): string[] {
  const keys = events.map(({ metadata }) => String(metadata["writeKey"]));
  return keys.filter((key, i) => keys.indexOf(key) !== i);
}

Deno.test("prevent duplicates: an order that every client sends is recorded once, with its first content", async () => {
  const numbers = new Map<string, number>();
  await race<Events>(async (store) => {
    for (const order of shuffled(ORDERS)) {
      const number = await placeOrder(store, order);
      assert.equal(number, numbers.get(order.key) ?? number, "an order has one number");
      numbers.set(order.key, number);
      const isRejected = (error: unknown): boolean =>
        error instanceof Refused && error.code === "DifferentBody";
      await assert.rejects(placeOrder(store, { ...order, quantity: 100 }), isRejected);
    }
  });
  const events = await historyOf<Events>();
  assert.deepEqual(faultsOf(events), []);
  assert.deepEqual(
    events.map(({ metadata, payload }) => ({ key: metadata["writeKey"], ...payload }))
      .sort((one, other) => one.quantity - other.quantity),
    ORDERS.map(({ key, quantity }) => ({ key: `order-${key}`, quantity })),
  );
});

Deno.test("prevent duplicates: without conditions, every client records an order, and it is noticed", async () => {
  await carelessRace<Events>((store) => placeOrder(store, ORDERS[0]!));
  assert.equal(faultsOf(await historyOf<Events>()).length, CLIENTS - 1);
});
