import assert from "node:assert/strict";
import { join } from "node:path";
import { EventStore, type StoredEvent } from "../../../client/mod.ts";
import type { Events } from "../../../examples/shop/events.ts";
import { listed, placeOf, startTestServer } from "../../client/support.ts";
import { inDirectory } from "../../support/directory.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/free_port.ts";
import { startMailServer, startShop } from "./shop_processes.ts";
import { WithholdingProxy } from "./withholding_proxy.ts";

/** Sends the form of an order. While the shop is down, it sends the same form again. @returns the status */
async function order(shop: string, product: string): Promise<number> {
  const form = { order: crypto.randomUUID(), product, pieces: "1", email: "ada@example.org" };
  const headers = { origin: shop };
  let status: number | undefined;
  await eventually(async () => {
    const body = new URLSearchParams(form);
    const answer = await fetch(`${shop}/orders`, { method: "POST", headers, body, redirect: "manual" });
    await answer.body?.cancel();
    status = answer.status;
  }, 30);
  return status!;
}

/** The cells of the rows of the page that have an attribute, without markup. */
async function rowsOf(shop: string, attribute: "data-product" | "data-order"): Promise<string[][]> {
  const page = await (await fetch(shop)).text();
  return page.split(`<tr ${attribute}=`).slice(1).map((row) =>
    [...row.split("</tr>")[0]!.matchAll(/<td>(.*?)<\/td>/gs)].map(([, cell]) => cell!.trim())
  );
}

async function stockOf(shop: string): Promise<Record<string, string>> {
  const rows = await rowsOf(shop, "data-product");
  return Object.fromEntries(rows.map(([name, price, stock]) => [name, `${stock} at ${price}`]));
}

/** Fails unless each order has one invoice, with numbers without gaps, and each invoice was sent. */
function assertInvoiced(events: readonly StoredEvent<Events>[], count: number): void {
  const ordersOf = (type: keyof Events): string[] =>
    events.flatMap((event) =>
      event.type === type && "order" in event.identifiers ? [String(event.identifiers.order)] : []
    );
  const placed = ordersOf("OrderPlaced");
  assert.equal(new Set(placed).size, count);
  for (const type of ["OrderPlaced", "InvoiceIssued", "InvoiceSent"] as const) {
    assert.deepEqual(ordersOf(type).sort(), placed.toSorted(), type);
  }
  const numbers = events.flatMap((event) => event.type === "InvoiceIssued" ? [event.payload.number] : []);
  assert.deepEqual(numbers, placed.map((_, i) => i + 1));
}

Deno.test("the shop is killed while forty customers order: no piece is sold twice, and each order has one invoice and one mail", () =>
  inDirectory(async (directory) => {
    await using server = await startTestServer();
    const url = placeOf(server.address).url!;
    const store = new EventStore<Record<string, unknown>>({ url });
    // The first release of the shop wrote this one.
    await store.append([
      { type: "ProductListed", identifiers: { product: "lamp" }, payload: { name: "Lamp", euros: 18.5 } },
      { type: "StockReceived", identifiers: { product: "lamp" }, payload: { pieces: 5 } },
    ]);
    const [mailPort, port] = [freePort(), freePort()];
    const shop = `http://127.0.0.1:${port}`;
    await using _mailServer = startMailServer(mailPort, join(directory, "mails.jsonl"));
    await using proxy = new WithholdingProxy(mailPort);
    const options = { mail: `http://127.0.0.1:${proxy.port}`, port: String(port), data: directory };
    const start = () =>
      startShop(url, ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]));
    const mails = async (): Promise<{ mail: { subject: string } }[]> =>
      await (await fetch(`http://127.0.0.1:${mailPort}/mails`)).json();
    await using first = start();
    await eventually(async () => {
      assert.deepEqual(await mails(), []);
      const stock = await stockOf(shop);
      assert.deepEqual(stock, { Kettle: "20 at 34.90 EUR", Lamp: "5 at 18.50 EUR", Radio: "2 at 89.00 EUR" });
    }, 30);

    const products = Array.from({ length: 20 }, () => ["lamp", "kettle"]).flat();
    const ordering = Promise.all(products.map((product) => order(shop, product)));
    // The mail server has sent these mails, and the shop does not know it.
    await eventually(async () => assert.ok((await mails()).length >= 5), 30);
    await first.kill();
    proxy.release();
    await using _second = start();

    const statuses = await ordering;
    const sold = (product: string) =>
      statuses.filter((status, i) => products[i] === product && status === 303).length;
    assert.deepEqual([sold("lamp"), sold("kettle")], [5, 20]);
    assert.equal(statuses.filter((status) => status === 409).length, 15);
    await eventually(async () => {
      const states = (await rowsOf(shop, "data-order")).map(([, , state]) => state);
      assert.deepEqual(states, Array.from({ length: 25 }, () => "mailed"));
    }, 30);
    assert.deepEqual(await stockOf(shop), {
      Kettle: "0 at 34.90 EUR",
      Lamp: "0 at 18.50 EUR",
      Radio: "2 at 89.00 EUR",
    });
    assertInvoiced(await listed(new EventStore<Events>({ url }).readAll("*")), 25);
    const subjects = (await mails()).map(({ mail }) => mail.subject).sort();
    assert.deepEqual(subjects, Array.from({ length: 25 }, (_, i) => `Invoice ${i + 1}`).sort());
  }));
