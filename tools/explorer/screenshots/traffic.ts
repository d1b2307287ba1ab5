import { delay } from "../../../src/async/delay.ts";
import type { Edition } from "../../../explorer/page/filter/query.ts";

/*
 * The clients that write while a picture is taken.
 */

const EVENTS = { A: write, B: transact, C: holdTicket } as const;
const WRITERS = 6;

/** Runs writers in changing numbers, some with conflicts, until the signal. */
export async function keepBusy(edition: Edition, url: string, signal: AbortSignal): Promise<void> {
  await Promise.all(Array.from({ length: WRITERS }, async (_, writer) => {
    for (let n = 0; !signal.aborted; n++) await EVENTS[edition](url, writer, n);
  }));
}

async function send(
  url: string,
  method: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<string> {
  return await (await fetch(url, { method, body: JSON.stringify(body), headers })).text();
}

function eventsOf(writer: number, n: number): unknown[] {
  const type = writer === 0 ? "StockCounted" : "CartChanged";
  return [{ type, identifiers: { cart: `cart-${n % 97}` }, payload: JSON.stringify({ n }) }];
}

async function write(url: string, writer: number, n: number): Promise<void> {
  const conditions = n % 40 === 7 ? [{ failIfEventsMatch: [{ types: ["OrderPlaced"] }] }] : [];
  await send(`${url}/write`, "POST", { conditions, events: eventsOf(writer, n) });
  if (writer > 2 + 2 * Math.sin(performance.now() / 6000)) await someMilliseconds(50);
  await someMilliseconds(50);
}

/** Runs a transaction. Some transactions read what another one writes. */
async function transact(url: string, writer: number, n: number): Promise<void> {
  const { txId } = JSON.parse(await send(`${url}/tx`, "POST", {}));
  const tx = `${url}/tx/${txId}`;
  const cart = `cart-${n % 97}`;
  await send(`${tx}/events`, "QUERY", { query: [{ identifiers: [{ name: "cart", value: cart }] }] });
  await someMilliseconds(writer < 2 ? 400 : 80);
  await send(`${tx}/events`, "POST", { events: eventsOf(writer, n) });
  await send(`${tx}/commit`, "POST", {});
  await someMilliseconds(60);
}

/** Holds a ticket for a while now and then, and the other writers wait. */
async function holdTicket(url: string, writer: number, n: number): Promise<void> {
  const { ticket } = JSON.parse(await send(`${url}/begin`, "POST", {}));
  const headers = { "x-service-ticket": ticket };
  await someMilliseconds(writer === 0 ? 1500 : 30);
  await send(`${url}/events`, "POST", { events: eventsOf(writer, n) }, headers);
  await send(`${url}/commit`, "POST", {}, headers);
  await someMilliseconds(300);
}

async function someMilliseconds(most: number): Promise<void> {
  await delay(most * (0.3 + 0.7 * Math.random()));
}
