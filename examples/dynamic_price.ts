/* Prices change, but a customer's order is taken at the prices that the customer saw, if they are not too old. */
// deno-lint-ignore-file no-console

import { type DecisionModel, EventStore } from "eventstore-client";

export interface Events {
  PriceChanged: { cents: number; at: string };
  OrderPlaced: { cents: Prices; at: string };
}
/** Products with their prices in cents. */
export type Prices = Readonly<Record<string, number>>;
type Store = EventStore<Events>;

export const GRACE_MINUTES = 10;
const MINUTE = 60 * 1000;

/** The error for an action that the rules do not allow. */
export class ApiError extends Error {}

interface Price {
  readonly cents: number;
  /** When the next price replaced it, in milliseconds since 1970. */
  readonly replacedAt: number;
}
/** All prices that a product has had, the current one last. */
const pricesOf = (product: string): DecisionModel<Events, readonly Price[]> => ({
  query: { types: ["PriceChanged"], identifiers: { product } },
  initial: [],
  apply(prices, { type, payload }) {
    if (type !== "PriceChanged") return prices;
    const last = prices.at(-1);
    const before = last ? [...prices.slice(0, -1), { ...last, replacedAt: Date.parse(payload.at) }] : [];
    return [...before, { cents: payload.cents, replacedAt: Infinity }];
  },
});

/** There is no rule for it, so nothing is read. Orders that depend on the price see the change. */
export async function setPrice(
  store: Store,
  product: string,
  cents: number,
  now = new Date(),
): Promise<void> {
  const payload = { cents, at: now.toISOString() };
  await store.append({ type: "PriceChanged", identifiers: { product }, payload });
}

/** Orders one of each product, at the shown prices. */
export async function placeOrder(store: Store, shown: Prices, now = new Date()): Promise<void> {
  const products = Object.keys(shown);
  const models = Object.fromEntries(products.map((product) => [product, pricesOf(product)]));
  const honouredSince = now.getTime() - GRACE_MINUTES * MINUTE;
  await store.decide(models, (prices) => {
    for (const product of products) {
      const honoured = prices[product]!.filter(({ replacedAt }) => replacedAt > honouredSince);
      if (honoured.every(({ cents }) => cents !== shown[product])) {
        throw new ApiError(`${product} is not sold at ${shown[product]}`);
      }
    }
    const payload = { cents: shown, at: now.toISOString() };
    return { type: "OrderPlaced", identifiers: { product: products }, payload };
  });
}

if (import.meta.main) {
  const store: Store = new EventStore({ url: Deno.args[0] ?? "http://127.0.0.1:8085" });
  const lamp = `lamp-${crypto.randomUUID()}`;
  for (const [cents, minutes] of [[1900, 60], [2400, 15], [2100, 5]] as const) {
    await setPrice(store, lamp, cents, new Date(Date.now() - minutes * MINUTE));
  }
  for (const cents of [2100, 2400, 1900]) {
    const rejected = await placeOrder(store, { [lamp]: cents }).catch((error) => error);
    if (rejected && !(rejected instanceof ApiError)) throw rejected;
    console.log(`ordered for ${cents}: ${rejected ? "no" : "yes"}`);
  }
}
