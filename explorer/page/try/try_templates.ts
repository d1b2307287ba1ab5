import { type Filter, isEmpty } from "../filter/filter.ts";
import { type Edition, everything, queryOf } from "../filter/query.ts";

/*
 * The requests that "Try it" begins with: they work, and use the filter of the events view.
 */

const EVENT = { type: "Noted", identifiers: { note: "n1" }, metadata: {}, payload: "hello" };

export function readTemplate(filter: Filter, edition: Edition): string {
  const query = isEmpty(filter) ? everything(edition) : queryOf(filter, edition);
  return pretty({ query, backwards: true, limit: 10 });
}

/** A conditional write, which requires that no event matches yet. */
export function writeTemplate(filter: Filter, edition: Edition): string {
  const query = isEmpty(filter) || queryOf(filter, edition) === everything(edition)
    ? [{ identifiers: [{ name: "note", value: "n1" }] }]
    : queryOf(filter, edition);
  if (edition === "A") return pretty({ conditions: [{ failIfEventsMatch: query }], events: [EVENT] });
  if (edition === "B") return pretty({ query, events: [EVENT] });
  return pretty({ condition: { failIfEventsMatch: query, afterSequence: 0 }, events: [EVENT] });
}

/** Explains how the edition handles the body of a write. */
export function writeExplanation(edition: Edition): string {
  if (edition === "A") return "POST /write: if a condition does not hold, nothing is written.";
  if (edition === "B") {
    return "A transaction: it reads the query, writes the events and commits. The commit fails if an event that matches came in between.";
  }
  return "A ticket: POST /begin, POST /events with this body, POST /commit. If the condition does not hold, everything is rolled back.";
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
