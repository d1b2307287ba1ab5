import type { Entry } from "./record.ts";

/** Returns the faults of answers that a server may give only when a layer below it fails, such as its disk. */
export function faultsOfAnswers(entries: readonly Entry[]): string[] {
  return [500, 507].flatMap((status) => {
    const failed = entries.flatMap((entry) =>
      "answer" in entry && entry.answer.status === status ? [entry.answer.id] : []
    );
    return failed.length === 0
      ? []
      : [`answered ${status}, and nothing had failed: the acts ${failed.slice(0, 10).join()}`];
  });
}
