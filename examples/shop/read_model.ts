// deno-lint-ignore house/one-driver -- the rule is about the process of the server, and this is another one
import { DatabaseSync } from "node:sqlite";
import type { Decided } from "eventstore-client";
import { mirror, type MirrorOptions, sqlite } from "eventstore-client/mirror";
import type { Store } from "./events.ts";
import { orders, products } from "./tables.ts";

export interface ProductRow {
  readonly id: string;
  readonly name: string;
  readonly cents: number;
  readonly stock: number;
}

export interface OrderRow {
  readonly id: string;
  readonly name: string;
  readonly pieces: number;
  readonly cents: number;
  readonly state: "placed" | "invoiced" | "mailed";
  readonly invoice: number | null;
}

/** The longest wait for the tables. After that, the page shows what they have. The order is placed anyway. */
const WAIT_MILLISECONDS = 1000;

/** The tables of the page, in a SQLite file that you may delete: it is filled again from the events. */
export class ReadModel {
  readonly #store: Store;
  readonly #path: string;
  readonly #connection: DatabaseSync;
  readonly #upTo = new Map<string, number>();

  constructor(store: Store, path: string) {
    this.#store = store;
    this.#path = path;
    this.#connection = this.#connect();
  }

  /** Applies all events that the store has. */
  async catchUp(signal: AbortSignal): Promise<void> {
    await this.#mirror({ signal, stopAtEnd: true });
  }

  /** Applies further events until the signal ends it. */
  async follow(signal: AbortSignal): Promise<void> {
    await this.#mirror({ signal });
  }

  /** Waits until the tables show the events of a decision, so that customers see what they have done. */
  async show({ events }: Decided, ...tables: readonly ("products" | "orders")[]): Promise<void> {
    const endsAt = performance.now() + WAIT_MILLISECONDS;
    const last = events.at(-1)?.sequence ?? 0;
    const isDone = (): boolean => tables.every((table) => (this.#upTo.get(table) ?? 0) >= last);
    while (!isDone() && performance.now() < endsAt) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  products(): ProductRow[] {
    return this.#rows("SELECT id, name, cents, stock FROM products ORDER BY name");
  }

  orders(): OrderRow[] {
    return this.#rows(`
      SELECT orders.id, name, pieces, orders.cents, state, invoice
      FROM orders JOIN products ON products.id = product ORDER BY placed DESC LIMIT 100
    `);
  }

  #rows<Row>(sql: string): Row[] {
    return this.#connection.prepare(sql).all() as Row[];
  }

  /** Each mirror has a connection of its own, since its transactions must not contain statements of others. */
  async #mirror(options: MirrorOptions): Promise<void> {
    await Promise.all([products, orders].map(async (table) => {
      using connection = this.#connect();
      await mirror(this.#store, sqlite(connection), table, {
        ...options,
        onProgress: ({ checkpoint }) => this.#upTo.set(table.name, checkpoint.sequence),
      });
    }));
  }

  #connect(): DatabaseSync {
    const connection = new DatabaseSync(this.#path);
    connection.exec("PRAGMA journal_mode = WAL");
    return connection;
  }
}
