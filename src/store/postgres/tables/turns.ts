import { type Cell, numberIn, type Row, textIn } from "../protocol/cells.ts";
import type { Statement } from "../protocol/session.ts";

/** The name and the number of a turn that was committed. */
export interface LastTransaction {
  readonly number: number;
  readonly name: string;
}

/** So many turns are kept: more than a server misses that is cut off for some minutes. */
export const KEPT_TURNS = 100_000;

export function lastTransaction(number: Cell | undefined, name: Cell | undefined): LastTransaction {
  return { number: numberIn(number), name: textIn(name) };
}

export function addTurn(head: number, { number, name }: LastTransaction): Statement {
  return {
    sql: "INSERT INTO turn (number, head, name) VALUES ($1, $2, $3)",
    params: [String(number), String(head), name],
  };
}

/** Asks for the turn with a number. */
export function readTurn(number: number): Statement {
  return {
    sql: `SELECT (SELECT number FROM turn ORDER BY number LIMIT 1),
      (SELECT name::text FROM turn WHERE number = $1)`,
    params: [String(number)],
  };
}

/** Whether a turn is part of the history; `forgotten` when its number is below those that are kept. */
export type TransactionPresence = "present" | "missing" | "forgotten";

/** What the answer to `readTurn` says of a turn. */
export function presenceOf({ number, name }: LastTransaction, [row]: readonly Row[]): TransactionPresence {
  const [lowest, found] = row!;
  if (found === null || found === undefined) return number < numberIn(lowest) ? "forgotten" : "missing";
  return textIn(found) === name ? "present" : "missing";
}

/** Asks for the highest number that may be removed. By count, since a new store ID leaves a large gap in the numbers. */
export const READ_FORGOTTEN: Statement = {
  sql: `SELECT number FROM turn ORDER BY number DESC OFFSET ${KEPT_TURNS} LIMIT 1`,
};

/** @returns undefined when nothing is to be removed */
export function forgottenIn([row]: readonly Row[]): number | undefined {
  return row === undefined ? undefined : numberIn(row[0]);
}

/** @param after those up to here were removed already; the index need not be searched there, where dead entries may be */
export function deleteTurns(after: number, upTo: number): Statement {
  return {
    sql: "DELETE FROM turn WHERE number > $1 AND number <= $2",
    params: [String(after), String(upTo)],
  };
}
