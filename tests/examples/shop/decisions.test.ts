import type { NewEvent } from "../../../client/mod.ts";
import { given } from "../../../client/testing/mod.ts";
import { listProduct, placeOrder, receiveStock, Rejected } from "../../../examples/shop/decisions.ts";
import type { Events } from "../../../examples/shop/events.ts";

type Event = NewEvent<Events>;

const lamp = { product: "lamp" };
const listed: Event = { type: "ProductListed", identifiers: lamp, payload: { name: "Lamp", cents: 2100 } };
const received = (pieces: number): Event => ({
  type: "StockReceived",
  identifiers: lamp,
  payload: { pieces },
});
const placed = (order: string, pieces: number): Event => ({
  type: "OrderPlaced",
  identifiers: { order, ...lamp },
  payload: { pieces, cents: 2100 * pieces, email: "ada@example.org" },
});
const wish = { order: "o1", ...lamp, pieces: 3, email: "ada@example.org" };

Deno.test("an order is placed while there are enough pieces, at the price of the product", () =>
  given<Events>([listed, received(2), received(1)]).when((store) => placeOrder(store, wish)).then(
    placed("o1", 3),
  ));

Deno.test("pieces that others have ordered are not sold again", () =>
  given<Events>([listed, received(5), placed("o2", 2), placed("o3", 1)])
    .when((store) => placeOrder(store, wish)).then("only 2 left"));

Deno.test("an order that is sent twice is placed once", () =>
  given<Events>([listed, received(9), placed("o1", 3)]).when((store) => placeOrder(store, wish)).then([]));

Deno.test("a product that the shop does not have is neither ordered nor received", async () => {
  await given<Events>([]).when((store) => placeOrder(store, wish)).then(Rejected);
  await given<Events>([]).when((store) => receiveStock(store, "lamp", 1)).then("there is no such product");
});

Deno.test("a product is listed once, with its first stock", async () => {
  const product = { id: "lamp", name: "Lamp", cents: 2100, pieces: 4 };
  await given<Events>([]).when((store) => listProduct(store, product)).then([listed, received(4)]);
  await given<Events>([listed]).when((store) => listProduct(store, product)).then([]);
});
