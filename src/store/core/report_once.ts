import type { StoreEvent } from "../api/store.ts";

/**
 * Returns a function that reports events of a store. That it is broken or lost a file is reported once: every later
 * transaction finds it again.
 */
export function reportOnce(report: (event: StoreEvent) => void): (event: StoreEvent) => void {
  const reported = new Set<StoreEvent["kind"]>();
  return (event) => {
    if (event.kind === "broken" || event.kind === "lost") {
      if (reported.has(event.kind)) return;
      reported.add(event.kind);
    }
    report(event);
  };
}
