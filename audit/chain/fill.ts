import type { EditionName } from "../../src/config/setting.ts";
import type { Store } from "./clients.ts";
import { MARK } from "./observed.ts";

/** Enough events for a page of all events to be sent in several parts. */
const WRITES = 25;
const EVENTS_OF_A_WRITE = 100;

/** Fills a new store with events that no decision depends on. */
export async function fillStore(edition: EditionName, store: Store): Promise<void> {
  const text = "x".repeat(150);
  for (let write = 0; write < WRITES; write++) {
    const events = Array.from({ length: EVENTS_OF_A_WRITE }, (_, part) => ({
      type: "Filled" as const,
      identifiers: { fill: `f${part % 10}` },
      metadata: { [MARK]: `fill${write}/${part}` },
      payload: { text },
    }));
    if (edition === "A") await store.append(events);
    else await store.transaction((tx) => tx.append(events));
  }
}
