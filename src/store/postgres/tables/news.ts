import { parseQueried } from "../../../wire/event.ts";
import type { ArrivedEvent } from "../../arrivals/arrivals.ts";
import { eventTerms } from "../../index_terms.ts";
import type { Row } from "../protocol/cells.ts";
import type { Statement } from "../protocol/session.ts";
import { eventRow, scanEvents } from "./events.ts";

/** With more news than that, it is cheaper to forget what was known. */
export const NEWS_EVENTS_MAX = 1000;

/** The events after a sequence, which other servers have written. */
export function readNews(after: number): Statement {
  return scanEvents({ after, upTo: Number.MAX_SAFE_INTEGER }, NEWS_EVENTS_MAX, "forwards");
}

/** What must be known of these events. */
export function newsOf(rows: readonly Row[]): ArrivedEvent[] {
  const decoder = new TextDecoder();
  return rows.map((row) => {
    const { timeMicros, body } = eventRow(row);
    return { timeMicros, terms: eventTerms(parseQueried(decoder.decode(body))) };
  });
}
