import type { Entry } from "../history/record.ts";

/**
 * The requests and answers up to a moment. An act whose completing request was not yet received is left out. A rejected
 * act stays in: it must never be present.
 */
export function evidenceAt(
  entries: readonly Entry[],
  asked: ReadonlySet<number>,
  answered: ReadonlySet<number>,
): Entry[] {
  const rejected = new Set(
    entries.flatMap((entry) =>
      "answer" in entry && entry.answer.fate === "rejected" ? [entry.answer.id] : []
    ),
  );
  return entries.filter((entry) =>
    "intent" in entry
      ? asked.has(entry.intent.id) || rejected.has(entry.intent.id)
      : answered.has(entry.answer.id) || rejected.has(entry.answer.id)
  );
}
