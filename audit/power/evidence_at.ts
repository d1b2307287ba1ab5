import type { Entry } from "../history/record.ts";

/**
 * What was asked and told up to a moment. An act of which the completing request has not arrived is left out, unless
 * it was rejected in the end: it must never be there.
 */
export function evidenceAt(
  entries: readonly Entry[],
  asked: ReadonlySet<number>,
  answered: ReadonlySet<number>,
): Entry[] {
  const rejected = new Set(
    entries.flatMap((entry) => "told" in entry && entry.told.fate === "rejected" ? [entry.told.id] : []),
  );
  return entries.filter((entry) =>
    "intent" in entry
      ? asked.has(entry.intent.id) || rejected.has(entry.intent.id)
      : answered.has(entry.told.id) || rejected.has(entry.told.id)
  );
}
