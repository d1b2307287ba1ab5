import type { MirrorModel, SqliteDatabase } from "eventstore-client/mirror";
import type { Events } from "./events.ts";

type Table = MirrorModel<Events, SqliteDatabase>;

/** The products with their price and stock. */
export const products: Table = {
  name: "products",
  version: "1",
  query: { types: ["ProductListed", "StockReceived", "OrderPlaced"] },
  create: (table) => `
    CREATE TABLE ${table} (id TEXT PRIMARY KEY, name TEXT NOT NULL, cents INTEGER NOT NULL, stock INTEGER NOT NULL)
  `,
  apply(database, events, table) {
    const change = `UPDATE ${table} SET stock = stock + ? WHERE id = ?`;
    for (const { type, identifiers, payload } of events) {
      if (type === "ProductListed") {
        const row = [String(identifiers.product), payload.name, payload.cents];
        database.run(`INSERT INTO ${table} VALUES (?, ?, ?, 0)`, row);
      } else if (type === "StockReceived") {
        database.run(change, [payload.pieces, String(identifiers.product)]);
      } else if (type === "OrderPlaced") {
        database.run(change, [-payload.pieces, String(identifiers.product)]);
      }
    }
  },
};

/** The orders with their state. */
export const orders: Table = {
  name: "orders",
  version: "1",
  query: { types: ["OrderPlaced", "InvoiceIssued", "InvoiceSent"] },
  create: (table) => `
    CREATE TABLE ${table} (
      id TEXT PRIMARY KEY, placed INTEGER NOT NULL, product TEXT NOT NULL, pieces INTEGER NOT NULL,
      cents INTEGER NOT NULL, state TEXT NOT NULL, invoice INTEGER
    );
    CREATE INDEX ${table}_placed ON ${table} (placed);
  `,
  apply(database, events, table) {
    for (const { sequence, type, identifiers, payload } of events) {
      if (type === "OrderPlaced") {
        const { pieces, cents } = payload;
        const row = [String(identifiers.order), sequence, String(identifiers.product), pieces, cents];
        database.run(`INSERT INTO ${table} VALUES (?, ?, ?, ?, ?, 'placed', NULL)`, row);
      } else if (type === "InvoiceIssued") {
        const change = `UPDATE ${table} SET state = 'invoiced', invoice = ? WHERE id = ?`;
        database.run(change, [payload.number, String(identifiers.order)]);
      } else if (type === "InvoiceSent") {
        database.run(`UPDATE ${table} SET state = 'mailed' WHERE id = ?`, [String(identifiers.order)]);
      }
    }
  },
};
