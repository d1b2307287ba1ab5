import type { StoreState } from "../../state.ts";
import { numberIn, type Row, textIn } from "../protocol/cells.ts";
import type { Statement } from "../protocol/session.ts";

/** The store, and how many turns it took to get there: of two such states, the one with more is the later one. */
export interface CountedState extends StoreState {
  readonly turns: number;
}

/** Who may write: the servers of an edition, or one of them alone. */
export interface Owner {
  readonly edition: string;
  /** Empty when all servers of the edition may write. */
  readonly server: string;
}

/** The row of the table `store`. */
export interface StoreRow extends CountedState, Owner {
  readonly pausedSinceMicros: number | undefined;
}

/** The pause is that of the edition whose servers may write. */
const COLUMNS = `SELECT id, head, turns, edition, server,
  CASE edition WHEN 'C' THEN tickets_paused_since ELSE paused_since END FROM store`;

export const READ_STATE: Statement = { sql: COLUMNS };

/** Until the end of the transaction, nobody else changes the store. */
export const LOCK_STATE: Statement = { sql: `${COLUMNS} FOR UPDATE` };

export function storeRow(rows: readonly Row[]): StoreRow {
  const [row] = rows;
  if (row === undefined) throw new Error("the table store has no row");
  const [id, head, turns, edition, server, pausedSince] = row;
  return {
    storeId: textIn(id),
    head: numberIn(head),
    turns: numberIn(turns),
    edition: textIn(edition),
    server: textIn(server),
    pausedSinceMicros: pausedSince === null ? undefined : numberIn(pausedSince),
  };
}

export function writeState({ storeId, head, turns }: CountedState): Statement {
  return {
    sql: "UPDATE store SET id = $1, head = $2, turns = $3",
    params: [storeId, String(head), String(turns)],
  };
}

export function writePausedSince(sinceMicros: number | undefined): Statement {
  const sql = `UPDATE store SET
    paused_since = CASE edition WHEN 'C' THEN paused_since ELSE $1::bigint END,
    tickets_paused_since = CASE edition WHEN 'C' THEN $1::bigint ELSE tickets_paused_since END`;
  return { sql, params: [sinceMicros === undefined ? null : String(sinceMicros)] };
}

export function writeOwner({ edition, server }: Owner): Statement {
  return { sql: "UPDATE store SET edition = $1, server = $2", params: [edition, server] };
}
