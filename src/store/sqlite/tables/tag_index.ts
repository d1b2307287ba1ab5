import type { TermItem } from "../../core/index_terms.ts";
import type { Database } from "../connection/database.ts";
import type { Direction, Range } from "../../core/ranges/direction.ts";

/*
 * The tag index is an FTS5 table whose rowid is the sequence and whose document lists the tokens of the event's
 * terms, separated by spaces.
 */

/** Returns the FTS5 expression for the events that match an item. */
export function itemExpression({ anyOf, allOf }: TermItem): string {
  const all = allOf.map(termExpression);
  if (anyOf.length > 0) all.push(`(${anyOfExpression(anyOf)})`);
  return all.join(" AND ");
}

export function termExpression(term: string): string {
  return `"${term}"`;
}

/**
 * Returns the FTS5 expression for events with one of the terms. Each term adds to the cost of each event: do not use
 * it for hundreds.
 */
export function anyOfExpression(terms: readonly string[]): string {
  return terms.map(termExpression).join(" OR ");
}

const SEARCH =
  "SELECT rowid FROM event_term WHERE event_term MATCH ? AND rowid > ? AND rowid <= ? ORDER BY rowid";
const SEARCHES = { forwards: `${SEARCH} LIMIT ?`, backwards: `${SEARCH} DESC LIMIT ?` };

/**
 * Returns the first sequences of a range that match an FTS5 expression, in the order of a search, at most `rowsMax`.
 */
export function indexedSequences(
  db: Database,
  expression: string,
  { after, upTo }: Range,
  rowsMax: number,
  direction: Direction = "forwards",
): number[] {
  return db.all(SEARCHES[direction], expression, BigInt(after), BigInt(upTo), BigInt(rowsMax))
    .map((row) => row[0] as number);
}

/** Pages of the index that one step of a merge writes: about 4 ms. */
const MERGED_PAGES = 64;

/**
 * The number of runs of similar size that are merged. The table stores this setting; FTS5 would leave up to three of
 * each size.
 */
const MERGED_RUNS_MIN = 2n;

/**
 * Merges sorted runs of the index, a little at a time: a search looks into each of them. Only runs of about one size
 * are merged, so that each entry is written again only a few times, however large the index is.
 * @returns whether there may be more to merge
 */
export function mergeSomeRuns(db: Database): boolean {
  const command = "INSERT INTO event_term (event_term, rank) VALUES (?, ?)";
  const setting = db.get("SELECT v FROM event_term_config WHERE k = 'usermerge'")?.[0];
  if (setting !== Number(MERGED_RUNS_MIN)) db.run(command, "usermerge", MERGED_RUNS_MIN);
  const before = totalChanges(db);
  db.run(command, "merge", BigInt(MERGED_PAGES));
  // The command itself counts as one change.
  return totalChanges(db) - before > 1;
}

function totalChanges(db: Database): number {
  return db.get("SELECT total_changes()")![0] as number;
}
