import type { StoreNotice } from "../api/store.ts";

/**
 * Returns a function that reports notices of a store. That it is broken or lost a file is reported once: every later
 * transaction finds it again.
 */
export function reportOnce(report: (notice: StoreNotice) => void): (notice: StoreNotice) => void {
  const reported = new Set<StoreNotice["kind"]>();
  return (notice) => {
    if (notice.kind === "broken" || notice.kind === "lost") {
      if (reported.has(notice.kind)) return;
      reported.add(notice.kind);
    }
    report(notice);
  };
}
