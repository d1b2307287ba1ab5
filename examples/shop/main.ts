/*
 * Starts the shop on a store that runs: its page, its consumers and its tables, all in one process. Without `--mail` it
 * also starts the mail server.
 */
// deno-lint-ignore-file no-console

import { type Consumer, type ConsumerNotification, EventStore } from "eventstore-client";
import type { Hono } from "hono";
import { join } from "node:path";
import { listProduct } from "./decisions.ts";
import { type Events, schemas } from "./events.ts";
import { invoices } from "./invoices.ts";
import { mailServer } from "./mail_server.ts";
import { mails } from "./mails.ts";
import { optionsFrom } from "./options.ts";
import { ReadModel } from "./read_model.ts";
import { web } from "./web.ts";

const PRODUCTS = [
  { id: "kettle", name: "Kettle", cents: 3490, pieces: 20 },
  { id: "lamp", name: "Lamp", cents: 2100, pieces: 5 },
  { id: "radio", name: "Radio", cents: 8900, pieces: 2 },
];

const { url, port, mail, data } = optionsFrom(Deno.args);
const store = new EventStore({ url, schemas });
const end = new AbortController();
const { signal } = end;
for (const name of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(name, () => end.abort());

/** Serves on this machine, and returns the URL. */
function serve(name: string, port: number, app: Hono): string {
  const onListen = (): void => {};
  const { addr } = Deno.serve({ hostname: "127.0.0.1", port, signal, onListen }, app.fetch);
  const url = `http://127.0.0.1:${addr.port}`;
  console.log(`${name}: ${url}`);
  return url;
}

/** Runs a consumer. Another process of the shop takes over two seconds after this one has died. */
async function consume(name: string, consumer: Consumer<Events>): Promise<void> {
  const onNotification = (notification: ConsumerNotification): void => {
    if (notification.kind !== "failed" && notification.kind !== "parked") return;
    const { kind, sequence, error } = notification;
    console.error(`${name}: event ${sequence} ${kind}: ${error}`);
  };
  await store.consume(name, consumer, { signal, leaseSeconds: 2, attempts: 100, onNotification });
}

try {
  for (const product of PRODUCTS) await listProduct(store, product);
  Deno.mkdirSync(data, { recursive: true });
  const readModel = new ReadModel(store, join(data, "tables.db"));
  await readModel.catchUp(signal);
  const mailUrl = mail ?? serve("mail server", 0, mailServer(join(data, "mails.jsonl")));
  serve("shop", port, web(store, readModel));
  await Promise.all([
    readModel.follow(signal),
    consume("invoices", invoices(store)),
    consume("mails", mails(mailUrl)),
  ]);
} catch (error) {
  // Any other error ends the process. It is safe to start it again.
  if (!signal.aborted) throw error;
}
