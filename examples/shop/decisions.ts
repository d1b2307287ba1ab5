import type { Decided, DecisionModel } from "eventstore-client";
import type { Events, Store } from "./events.ts";

/** The error for an action that the rules of the shop do not allow. */
export class Rejected extends Error {}

/** An order as the customer sends it. The form creates the ID, so that an order that is sent twice is placed once. */
export interface Order {
  readonly order: string;
  readonly product: string;
  readonly pieces: number;
  readonly email: string;
}

const priceOf = (product: string): DecisionModel<Events, number | undefined> => ({
  query: { types: ["ProductListed"], identifiers: { product } },
  initial: undefined,
  apply: (cents, event) => event.type === "ProductListed" ? event.payload.cents : cents,
});
const stockOf = (product: string): DecisionModel<Events, number> => ({
  query: { types: ["StockReceived", "OrderPlaced"], identifiers: { product } },
  initial: 0,
  apply(stock, event) {
    if (event.type === "StockReceived") return stock + event.payload.pieces;
    return event.type === "OrderPlaced" ? stock - event.payload.pieces : stock;
  },
});
const isPlaced = (order: string): DecisionModel<Events, boolean> => ({
  query: { types: ["OrderPlaced"], identifiers: { order } },
  initial: false,
  apply: () => true,
});

/** Offers a product with its first stock, unless the shop has it already. */
export async function listProduct(
  store: Store,
  product: { readonly id: string; readonly name: string; readonly cents: number; readonly pieces: number },
): Promise<void> {
  const { id, name, cents, pieces } = product;
  await store.decide(priceOf(id), (price) => {
    if (price !== undefined) return;
    return [
      { type: "ProductListed", identifiers: { product: id }, payload: { name, cents } },
      { type: "StockReceived", identifiers: { product: id }, payload: { pieces } },
    ];
  });
}

export async function receiveStock(store: Store, product: string, pieces: number): Promise<Decided> {
  return await store.decide(priceOf(product), (price) => {
    if (price === undefined) throw new Rejected("there is no such product");
    return { type: "StockReceived", identifiers: { product }, payload: { pieces } };
  });
}

/** Sells only pieces that are there, however many customers order at once. */
export async function placeOrder(store: Store, { order, product, pieces, email }: Order): Promise<Decided> {
  const models = { price: priceOf(product), stock: stockOf(product), placed: isPlaced(order) };
  return await store.decide(models, ({ price, stock, placed }) => {
    if (placed) return;
    if (price === undefined) throw new Rejected("there is no such product");
    if (stock < pieces) throw new Rejected(`only ${stock} left`);
    const payload = { pieces, cents: pieces * price, email };
    return { type: "OrderPlaced", identifiers: { order, product }, payload };
  });
}
