import type { StoreState } from "../../state.ts";
import { numberIn, type Row, textIn } from "../protocol/cells.ts";
import type { Statement } from "../protocol/session.ts";

/** The row of the table `store`. */
export interface StoreRow extends StoreState {
  readonly server: string;
  readonly turn: string;
  readonly pausedSinceMicros: number | undefined;
}

const COLUMNS = "SELECT id, head, server, turn, paused_since FROM store";

export const READ_STATE: Statement = { sql: COLUMNS };

/** Until the end of the transaction, nobody else changes the store. */
export const LOCK_STATE: Statement = { sql: `${COLUMNS} FOR UPDATE` };

export function storeRow(rows: readonly Row[]): StoreRow {
  const [row] = rows;
  if (row === undefined) throw new Error("the table store has no row");
  const [id, head, server, turn, pausedSince] = row;
  return {
    storeId: textIn(id),
    head: numberIn(head),
    server: textIn(server),
    turn: textIn(turn),
    pausedSinceMicros: pausedSince === null ? undefined : numberIn(pausedSince),
  };
}

/** Moves the head, and leaves the name of the turn for who loses the answer to its COMMIT. */
export function endTurn({ storeId, head }: StoreState, turn: string): Statement {
  return { sql: "UPDATE store SET id = $1, head = $2, turn = $3", params: [storeId, String(head), turn] };
}

export function writePausedSince(sinceMicros: number | undefined): Statement {
  const params = [sinceMicros === undefined ? null : String(sinceMicros)];
  return { sql: "UPDATE store SET paused_since = $1", params };
}

export function takeOver(server: string): Statement {
  return { sql: "UPDATE store SET server = $1", params: [server] };
}
