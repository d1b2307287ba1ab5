/* An order that is sent twice, by a double click or after a lost answer, is recorded once. */
// deno-lint-ignore-file no-console

import { EventStore, Refused } from "eventstore-client";

export interface Events {
  OrderPlaced: { quantity: number };
}
type Store = EventStore<Events>;

/** An order as a form sends it. The form chooses a random key when it is shown, and sends the same key each time. */
export interface Order {
  readonly key: string;
  readonly product: string;
  readonly quantity: number;
}

/** @returns the number of the order, the same each time */
export async function placeOrder(store: Store, { key, product, quantity }: Order): Promise<number> {
  const { events: [placed] } = await store.writeOnce(`order-${key}`, {
    type: "OrderPlaced",
    identifiers: { product },
    payload: { quantity },
  });
  return placed!.sequence;
}

if (import.meta.main) {
  const store: Store = new EventStore({ url: Deno.args[0] ?? "http://127.0.0.1:8085" });
  const order = { key: crypto.randomUUID(), product: "lamp", quantity: 1 };
  const numbers = await Promise.all([placeOrder(store, order), placeOrder(store, order)]);
  console.log("sent twice, one order:", numbers[0] === numbers[1]);
  await placeOrder(store, { ...order, quantity: 2 }).catch((error) => {
    if (!(error instanceof Refused)) throw error;
    console.log("with another quantity:", error.code);
  });
}
