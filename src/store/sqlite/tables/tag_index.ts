import type { TermItem } from "../../index_terms.ts";
import type { Range } from "./range.ts";
import type { Database } from "../connection/database.ts";

/*
 * The tag index is an FTS5 table whose rowid is the sequence and whose document lists the tokens of the event's
 * terms, separated by spaces.
 */

/** The FTS5 expression that finds the events which match an item. */
export function itemExpression({ anyOf, allOf }: TermItem): string {
  const all = allOf.map(termExpression);
  if (anyOf.length > 0) all.push(`(${anyOfExpression(anyOf)})`);
  return all.join(" AND ");
}

export function termExpression(term: string): string {
  return `"${term}"`;
}

/** Finds the events with one of the terms, each of which costs something for each event: not for hundreds. */
export function anyOfExpression(terms: readonly string[]): string {
  return terms.map(termExpression).join(" OR ");
}

/** Sequences in the tag index with `after < sequence <= upTo` that match an FTS5 expression, in order. */
export function indexedSequences(
  db: Database,
  expression: string,
  { after, upTo }: Range,
  rowsMax: number,
): number[] {
  return db.all(
    "SELECT rowid FROM event_term WHERE event_term MATCH ? AND rowid > ? AND rowid <= ? ORDER BY rowid LIMIT ?",
    expression,
    BigInt(after),
    BigInt(upTo),
    BigInt(rowsMax),
  ).map((row) => row[0] as number);
}
