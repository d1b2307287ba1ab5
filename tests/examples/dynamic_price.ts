import assert from "node:assert/strict";
import type { StoredEvent } from "../../client/mod.ts";
import { ApiError, type Events, GRACE_MINUTES, placeOrder, setPrice } from "../../examples/dynamic_price.ts";
import { storeOf } from "../client/support.ts";
import {
  careless,
  CLIENTS,
  hesitating,
  historyOf,
  inventedHistory,
  isAllowed,
  race,
  server,
} from "./race.ts";

const PRODUCTS = ["lamp", "bulb", "shade"];
const FIRST_PRICE = 1000;
const afterMinutes = (minutes: number): Date => new Date(Date.UTC(2026, 0, 1) + minutes * 60_000);
const below = (limit: number): number => Math.floor(Math.random() * limit);

/** The wrong prices at the time of each order. A price stays right for a while after another one replaces it. */
function faultsOf(events: readonly StoredEvent<Events>[]): string[] {
  return events.flatMap(({ type, payload: order }, place) => {
    if (type !== "OrderPlaced") return [];
    return Object.entries(order.cents).flatMap(([product, cents]) => {
      const changes = events.slice(0, place).flatMap(({ type, identifiers, payload }) =>
        type === "PriceChanged" && identifiers["product"] === product ? [payload] : []
      );
      const isRight = changes.some((change, i) => {
        const next = changes[i + 1];
        if (change.cents !== cents) return false;
        return next === undefined || Date.parse(order.at) - Date.parse(next.at) < GRACE_MINUTES * 60_000;
      });
      return isRight ? [] : [`${product} was not sold at ${cents}`];
    });
  });
}

Deno.test("dynamic price: each order is at prices that were shown not long ago", async () => {
  const setup = storeOf<Events>(server);
  for (const product of PRODUCTS) await setPrice(setup, product, FIRST_PRICE, afterMinutes(0));
  let minutes = 0; // on a clock that all clients share
  const shownOn = new Map(PRODUCTS.map((product) => [product, [FIRST_PRICE]]));
  let rejections = 0;
  await race<Events>(async (store, client) => {
    const shown = Object.fromEntries(PRODUCTS.map((product) => [product, FIRST_PRICE]));
    assert.ok(await isAllowed(ApiError, () => placeOrder(store, shown, afterMinutes(0))));
    for (let i = 0; i < 10; i++) {
      const product = PRODUCTS[below(PRODUCTS.length)]!;
      const now = afterMinutes(minutes++);
      if (client % 4 === 0) {
        const cents = FIRST_PRICE + minutes;
        await setPrice(store, product, cents, now);
        shownOn.get(product)!.push(cents);
      } else {
        const prices = shownOn.get(product)!;
        const cents = prices[below(prices.length)]!;
        if (!await isAllowed(ApiError, () => placeOrder(store, { [product]: cents }, now))) rejections++;
      }
    }
    const tomorrow = afterMinutes(24 * 60);
    await setPrice(store, "lamp", FIRST_PRICE + 1000, afterMinutes(minutes));
    const late = () => placeOrder(store, { lamp: FIRST_PRICE }, tomorrow);
    assert.equal(await isAllowed(ApiError, late), false, "it is a price of yesterday");
  });
  const events = await historyOf<Events>();
  assert.deepEqual(faultsOf(events), []);
  const orders = events.filter(({ type }) => type === "OrderPlaced").length;
  assert.equal(orders + rejections, CLIENTS + CLIENTS * 3 / 4 * 10);
});

for (
  const [how, clientOf, isTaken] of [["with conditions", hesitating, false], [
    "without conditions",
    careless,
    true,
  ]] as const
) {
  Deno.test(`dynamic price: ${how}, a price that is replaced while an order is decided is ${isTaken ? "taken, and it is noticed" : "rejected"}`, async () => {
    const others = storeOf<Events>(server);
    await setPrice(others, "lamp", 1000, afterMinutes(0));
    const store = clientOf<Events>(() => setPrice(others, "lamp", 2000, afterMinutes(1)));
    const order = () => placeOrder(store, { lamp: 1000 }, afterMinutes(1 + GRACE_MINUTES));
    assert.equal(await isAllowed(ApiError, order), isTaken);
    const faults = faultsOf(await historyOf<Events>());
    assert.deepEqual(faults, isTaken ? ["lamp was not sold at 1000"] : []);
  });
}

Deno.test("dynamic price: a price that was never shown, or of another product, is noticed", () => {
  const at = afterMinutes(0).toISOString();
  const events = inventedHistory<Events>(
    { type: "PriceChanged", identifiers: { product: "lamp" }, payload: { cents: 1000, at } },
    { type: "OrderPlaced", payload: { cents: { lamp: 999 }, at } },
    { type: "OrderPlaced", payload: { cents: { lamp: 1000, bulb: 1000 }, at } },
  );
  assert.deepEqual(faultsOf(events), ["lamp was not sold at 999", "bulb was not sold at 1000"]);
});
