import assert from "node:assert/strict";
import type { StoredEvent } from "../../client/mod.ts";
import { type Events, issueInvoice } from "../../examples/invoice_numbers.ts";
import { fetchTransport } from "../../client/transport/fetch_transport.ts";
import { FaultyTransport } from "../client/faulty_transport.ts";
import { placeOf, storeOver } from "../client/support.ts";
import { carelessRace, CLIENTS, historyOf, inventedHistory, race, server, shuffled } from "./race.ts";

const SERIES = ["2025", "2026"];
const ORDERS_PER_SERIES = 20;

/** The violations of rules at the time of each event. */
function faultsOf(events: readonly StoredEvent<Events>[]): string[] {
  const faults: string[] = [];
  const lastNumbers = new Map<string, number>();
  const orders = new Set<string>();
  for (const { identifiers, payload: { number } } of events) {
    const [series, order] = [String(identifiers["series"]), String(identifiers["order"])];
    const wanted = (lastNumbers.get(series) ?? 0) + 1;
    if (number !== wanted) faults.push(`${series}: ${number} instead of ${wanted}`);
    if (orders.has(order)) faults.push(`${order} has two invoices`);
    lastNumbers.set(series, number);
    orders.add(order);
  }
  return faults;
}

Deno.test("invoice numbers: they are 1 to n in each series, and each order has one", async () => {
  const orders = SERIES.flatMap((series) =>
    Array.from({ length: ORDERS_PER_SERIES }, (_, i) => ({ series, order: `order ${i} of ${series}` }))
  );
  // Each order is requested twice, by any of the clients.
  const wishes = shuffled([...orders, ...orders]);
  const numbers = new Map<string, number>();
  await race<Events>(async (store, client) => {
    for (const { series, order } of wishes.filter((_, i) => i % CLIENTS === client)) {
      const number = await issueInvoice(store, series, order);
      assert.equal(number, numbers.get(order) ?? number, "an order has one number");
      numbers.set(order, number);
    }
  });
  const events = await historyOf<Events>();
  assert.deepEqual(faultsOf(events), []);
  assert.equal(events.length, orders.length);
});

Deno.test("invoice numbers: without conditions, numbers and orders occur twice, and it is noticed", async () => {
  await carelessRace<Events>((store) => issueInvoice(store, "2026", "o1"));
  const faults = faultsOf(await historyOf<Events>());
  for (const fault of ["2026: 1 instead of 2", "o1 has two invoices"]) {
    assert.equal(faults.filter((one) => one === fault).length, CLIENTS - 1, fault);
  }
});

Deno.test("invoice numbers: a gap is noticed", () => {
  const events = inventedHistory<Events>(
    { type: "InvoiceIssued", identifiers: { series: "2026", order: "o1" }, payload: { number: 1 } },
    { type: "InvoiceIssued", identifiers: { series: "2026", order: "o2" }, payload: { number: 3 } },
  );
  assert.deepEqual(faultsOf(events), ["2026: 3 instead of 2"]);
});

for (const fault of ["request lost", "answer lost"] as const) {
  Deno.test(`invoice numbers: after a write with the ${fault}, the order has one invoice nevertheless`, async () => {
    const transport = new FaultyTransport(fetchTransport(placeOf(server.address).url!));
    let isFirst = true;
    transport.fault = ({ path }) => {
      if (path !== "/write" || !isFirst) return "none";
      isFirst = false;
      return fault;
    };
    assert.equal(await issueInvoice(storeOver<Events>(transport), "2026", "o1"), 1);
    assert.equal((await historyOf<Events>()).length, 1);
  });
}
