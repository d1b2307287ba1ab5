import type { EventsOf, EventStore } from "eventstore-client";
import { versions } from "eventstore-client/schemas";
import { z } from "zod";

const cents = z.int().positive();
const pieces = z.int().positive();

/** The events of the shop. Each names its product or its order as an identifier. */
export const schemas = {
  // The first release of the shop wrote prices in euros.
  ProductListed: versions(z.object({ name: z.string(), euros: z.number() }))
    .next(z.object({ name: z.string(), cents }), ({ name, euros }) => ({
      name,
      cents: Math.round(100 * euros),
    })),
  StockReceived: z.object({ pieces }),
  OrderPlaced: z.object({ pieces, cents, email: z.email() }),
  InvoiceIssued: z.object({ number: z.int().positive(), cents, email: z.email() }),
  InvoiceSent: z.null(),
};

export type Events = EventsOf<typeof schemas>;
export type Store = EventStore<Events>;
