import type { Answer, Entry, Intent } from "./record.ts";

/** An act with all that is known about it. Without `answer`, its outcome is unknown. */
export interface Attempt extends Intent {
  readonly answer: Answer | undefined;
}

export function attemptsIn(entries: readonly Entry[]): Attempt[] {
  const answers = new Map(
    entries.flatMap((entry) => "answer" in entry ? [[entry.answer.id, entry.answer]] : []),
  );
  return entries.flatMap((entry) =>
    "intent" in entry ? [{ ...entry.intent, answer: answers.get(entry.intent.id) }] : []
  );
}
