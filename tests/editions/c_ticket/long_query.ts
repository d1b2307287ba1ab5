import type { Client } from "../../support/client.ts";
import { append } from "./client.ts";

const EVENTS_PER_CALL = 100;

/** Fills a store on which `LONG_QUERY` keeps the writer busy for seconds. */
export async function fillForLongQuery(client: Client, events: number): Promise<void> {
  for (let first = 0; first < events; first += EVENTS_PER_CALL) {
    // Each in a transaction of its own, so that short deadlines leave time enough.
    await append(
      client,
      ...Array.from({ length: EVENTS_PER_CALL }, (_, i) => ({
        type: "t",
        identifiers: { a: "x", b: "x", parity: String((first + i) % 2) },
        payload: "",
      })),
    );
  }
}

/**
 * 98 items with 100 values each that match nothing, although every value is on many events. Items that repeat
 * their values unequally often are different, so they are not merged.
 */
export const LONG_QUERY: readonly unknown[] = Array.from({ length: 98 }, (_, item) => ({
  identifiers: [
    ...Array.from({ length: 98 }, (_, i) => ({ name: i < item ? "a" : "b", value: "x" })),
    { name: "parity", value: "0" },
    { name: "parity", value: "1" },
  ],
}));
