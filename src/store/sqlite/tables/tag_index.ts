import type { TermItem } from "../../index_terms.ts";
import type { Range } from "./range.ts";
import type { Database } from "../connection/database.ts";

/*
 * The tag index is an FTS5 table whose rowid is the sequence and whose document lists the tokens of the event's
 * terms, separated by spaces.
 */

/** The FTS5 expression that finds the events which match at least one item. */
export function matchExpression(items: readonly TermItem[]): string {
  return items.map((item) => `(${itemExpression(item)})`).join(" OR ");
}

function itemExpression(item: TermItem): string {
  const all = item.allOf.map((term) => `"${term}"`);
  if (item.anyOf.length > 0) all.push(`(${item.anyOf.map((term) => `"${term}"`).join(" OR ")})`);
  return all.join(" AND ");
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
