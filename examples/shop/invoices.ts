import type { Consumer } from "eventstore-client";
import type { Events, Store } from "./events.ts";

const issued = { types: ["InvoiceIssued" as const] };

/** Issues an invoice for each order. The numbers are 1, 2, 3, ... without gaps, so orders take turns: no `by`. */
export const invoices = (store: Store): Consumer<Events> => ({
  query: { types: ["OrderPlaced"] },
  async handle(event) {
    if (event.type !== "OrderPlaced") return;
    const identifiers = { order: event.identifiers.order };
    const { events: [last], head } = await store.read(issued, { backwards: true, limit: 1 });
    // Only if the consumer was deleted and begins anew, orders have an invoice already.
    const { events: [existing] } = await store.read({ ...issued, identifiers });
    if (existing) return;
    const number = last?.type === "InvoiceIssued" ? last.payload.number + 1 : 1;
    const { cents, email } = event.payload;
    return {
      events: { type: "InvoiceIssued", identifiers, payload: { number, cents, email } },
      // It holds for any other program that issues invoices.
      conditions: { query: issued, after: head },
    };
  },
});
