import { matches } from "../../src/model/query.ts";
import type { AskedQuery, LoggedEvent } from "./history.ts";

export function isMatch(event: LoggedEvent, query: AskedQuery): boolean {
  if (query === "every") return true;
  const items = query.map(({ types = [], identifiers = [] }) => ({ types, identifiers, metadata: [] }));
  return matches(items, { type: event.type, identifiers: event.identifiers, metadata: [] });
}

export function sequencesOf(events: readonly LoggedEvent[], query: AskedQuery): number[] {
  return events.filter((event) => isMatch(event, query)).map(({ sequence }) => sequence);
}

/** Returns the first of `length` events that matches after a sequence. */
export function firstAfter(
  log: readonly LoggedEvent[],
  query: AskedQuery,
  after: number,
  length: number,
): number | undefined {
  for (let i = Math.max(0, after); i < length; i++) if (isMatch(log[i]!, query)) return log[i]!.sequence;
  return undefined;
}
