/* The invoices of a series are numbered 1, 2, 3, ... without gaps, and an order has one invoice. */
// deno-lint-ignore-file no-console

import { Conflict, ConnectionLost, EventStore } from "eventstore-client";

export interface Events {
  InvoiceIssued: { number: number };
}
type Store = EventStore<Events>;

/** Returns the number of the order's invoice. It issues the invoice if there is none yet. */
export async function issueInvoice(store: Store, series: string, order: string): Promise<number> {
  const ofOrder = { types: ["InvoiceIssued" as const], identifiers: { order } };
  const ofSeries = { types: ["InvoiceIssued" as const], identifiers: { series } };
  for (;;) {
    const { events: [issued] } = await store.read(ofOrder);
    if (issued) return issued.payload.number;
    // The last invoice has the highest number, so one read is enough, however long the series is.
    const { events: [last], head } = await store.read(ofSeries, { backwards: true, limit: 1 });
    const number = (last?.payload.number ?? 0) + 1;
    try {
      await store.append(
        { type: "InvoiceIssued", identifiers: { series, order }, payload: { number } },
        { conditions: [{ query: ofSeries, after: head }, { query: ofOrder }] },
      );
      return number;
    } catch (error) {
      // Another invoice was faster, or the outcome of this write is unknown. The next attempt looks for the order's
      // invoice.
      if (!(error instanceof Conflict || error instanceof ConnectionLost)) throw error;
    }
  }
}

if (import.meta.main) {
  const store: Store = new EventStore({ url: Deno.args[0] ?? "http://127.0.0.1:8085" });
  const series = `series-${crypto.randomUUID()}`;
  const orders = [1, 2, 3].map(() => `order-${crypto.randomUUID()}`);
  const numbers = await Promise.all(orders.map((order) => issueInvoice(store, series, order)));
  console.log("three orders at once:", numbers.toSorted().join(", "));
  console.log(
    "the first one again is the same:",
    await issueInvoice(store, series, orders[0]!) === numbers[0],
  );
}
