import { type Cell, numberIn, type Row, textIn } from "../protocol/cells.ts";
import type { Statement } from "../protocol/session.ts";

/** The name and the number of a committed write transaction. */
export interface LastTransaction {
  readonly number: number;
  readonly name: string;
}

/** How many write transactions stay recorded: more than a server misses that is cut off for some minutes. */
export const TURN_ROWS_MAX = 100_000;

export function lastTransaction(number: Cell | undefined, name: Cell | undefined): LastTransaction {
  return { number: numberIn(number), name: textIn(name) };
}

export function addTurn(head: number, { number, name }: LastTransaction): Statement {
  return {
    sql: "INSERT INTO turn (number, head, name) VALUES ($1, $2, $3)",
    params: [String(number), String(head), name],
  };
}

/** Asks for the write transaction with a number. */
export function readTurn(number: number): Statement {
  return {
    sql: `SELECT (SELECT number FROM turn ORDER BY number LIMIT 1),
      (SELECT name::text FROM turn WHERE number = $1)`,
    params: [String(number)],
  };
}

/** The state of a write transaction in the history; `forgotten` when its number is below the recorded ones. */
export type TransactionPresence = "present" | "missing" | "forgotten";

/** Interprets the answer to `readTurn`. */
export function presenceOf({ number, name }: LastTransaction, [row]: readonly Row[]): TransactionPresence {
  const [lowest, found] = row!;
  if (found === null || found === undefined) return number < numberIn(lowest) ? "forgotten" : "missing";
  return textIn(found) === name ? "present" : "missing";
}

/**
 * Asks for the highest number that may be removed. It counts rows, since a new store ID leaves a large gap in the
 * numbers.
 */
export const READ_FORGOTTEN: Statement = {
  sql: `SELECT number FROM turn ORDER BY number DESC OFFSET ${TURN_ROWS_MAX} LIMIT 1`,
};

/** @returns undefined when nothing is to be removed */
export function forgottenIn([row]: readonly Row[]): number | undefined {
  return row === undefined ? undefined : numberIn(row[0]);
}

/**
 * @param after rows up to this number were removed before; skipping them avoids a search through dead index entries
 */
export function deleteTurns(after: number, upTo: number): Statement {
  return {
    sql: "DELETE FROM turn WHERE number > $1 AND number <= $2",
    params: [String(after), String(upTo)],
  };
}
