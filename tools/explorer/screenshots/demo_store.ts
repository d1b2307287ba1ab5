import { openWriter, storeWrite, writeNow } from "../../../bench/fill_store.ts";
import type { NewEvent } from "../../../src/model/event.ts";
import { initStore } from "../../../src/store/sqlite/data_directory/create_database.ts";

/*
 * A store for pictures, with the last days of a shop.
 */

const DAYS = 5;
const END = Date.now() - 60_000;
const BEGIN = END - END % 86_400_000 - DAYS * 86_400_000;
const ORDERS = 2600;
/** An order that was delivered days ago. */
export const DELIVERED_ORDER = "order-1000";
const NAMES = ["ada", "grace", "linus", "margaret", "dennis", "barbara", "edsger", "radia"];
const ARTICLES = ["lamp", "desk", "chair", "shelf", "rug", "kettle", "mirror", "clock"];

/** The steps of an order, each with the minutes since the previous step. */
const STEPS: readonly (readonly [string, number, (order: Order) => unknown])[] = [
  ["OrderPlaced", 0, ({ total, lines }) => ({ total, currency: "EUR", lines })],
  ["PaymentReceived", 3, ({ total }) => ({ amount: total, method: "card" })],
  ["ItemsReserved", 1, ({ lines }) => ({ warehouse: "north", lines: lines.length })],
  ["ParcelPacked", 190, () => ({ weightGrams: 1840, station: 4 })],
  ["OrderShipped", 45, ({ id }) => ({ carrier: "bike", tracking: `NL-${id.slice(6)}-7` })],
  ["OrderDelivered", 900, () => ({ signedBy: null, photo: true })],
];

interface Order {
  readonly id: string;
  readonly customer: string;
  readonly lines: readonly { readonly article: string; readonly quantity: number }[];
  readonly total: number;
}

/** Creates the store. */
export function fillDemoStore(dataDir: string): void {
  const writer = openWriter(initStore(dataDir).path);
  for (const { time, event } of demoEvents()) writeNow(writer, storeWrite([event], 1000 * Math.floor(time)));
  writer.close();
}

function demoEvents(): { time: number; event: NewEvent }[] {
  const random = randomNumbers(7);
  const events: { time: number; event: NewEvent }[] = [];
  for (let n = 0; n < ORDERS; n++) {
    const id = `order-${1000 + n}`;
    const lines = Array.from({ length: 1 + Math.floor(random() * 3) }, () => ({
      article: ARTICLES[Math.floor(random() * ARTICLES.length)]!,
      quantity: 1 + Math.floor(random() * 2),
    }));
    const order = {
      id,
      customer: NAMES[Math.floor(random() * NAMES.length)]!,
      lines,
      total: Math.round(4000 + 9000 * random()) / 100,
    };
    const day = n === 0 ? 1 : Math.floor(random() * (DAYS + 1));
    let time = BEGIN + 86_400_000 * day + hourOfDay(random) * 3_600_000;
    const steps = n > 0 && random() < 0.06 ? [...STEPS.slice(0, 2), CANCELLED] : STEPS;
    for (const [type, minutes, payload] of steps) {
      time += Math.floor(60_000 * minutes * (0.5 + random()));
      if (time < END) {
        events.push({ time, event: eventOf(type, order, payload(order), random) });
      }
    }
  }
  return events.sort((a, b) => a.time - b.time);
}

const CANCELLED = ["OrderCancelled", 12, () => ({ reason: "changed their mind" })] as const;

/** Orders are placed by day, most of them in the evening. */
function hourOfDay(random: () => number): number {
  return (random() + random() + random()) / 3 * 15 + 6;
}

function eventOf(type: string, { id, customer }: Order, payload: unknown, random: () => number): NewEvent {
  return {
    type,
    identifiers: [{ name: "customer", value: customer }, { name: "order", value: id }],
    metadata: [
      { name: "by", value: type.startsWith("Order") ? "web" : "worker" },
      { name: "trace", value: Math.floor(random() * 2 ** 32).toString(16).padStart(8, "0") },
    ],
    payload: JSON.stringify(payload),
  };
}

/** Numbers from 0 to 1, always the same. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
