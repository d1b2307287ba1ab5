import type { EventsOf, EventStore } from "eventstore-client";
import { identified, versions } from "eventstore-client/schemas";
import { z } from "zod";

const cents = z.int().positive();
const pieces = z.int().positive();

/** The events of the shop, with the identifiers that each of them has. */
export const schemas = {
  // The first release of the shop wrote prices in euros.
  ProductListed: identified(
    versions(z.object({ name: z.string(), euros: z.number() }))
      .next(z.object({ name: z.string(), cents }), ({ name, euros }) => ({
        name,
        cents: Math.round(100 * euros),
      })),
    ["product"],
  ),
  StockReceived: identified(z.object({ pieces }), ["product"]),
  OrderPlaced: identified(z.object({ pieces, cents, email: z.email() }), ["product", "order"]),
  InvoiceIssued: identified(z.object({ number: z.int().positive(), cents, email: z.email() }), ["order"]),
  InvoiceSent: identified(z.null(), ["order"]),
};

export type Events = EventsOf<typeof schemas>;
export type Store = EventStore<Events>;
