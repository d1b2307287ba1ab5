import type { StoreState } from "../../api/state.ts";
import { numberIn, type Row, textIn } from "../protocol/cells.ts";
import type { Statement } from "../protocol/session.ts";
import { type LastTransaction, lastTransaction } from "./turns.ts";

/**
 * The store and its last write transaction. Of two states, the one with the higher transaction number is the later
 * one.
 */
export interface CountedState extends StoreState {
  readonly turn: LastTransaction;
}

/** The edition of a store that has moved: no server has it, so none may write. */
export const MOVED = "moved";

/** The servers that may write: all servers of an edition, or only one. */
export interface Owner {
  readonly edition: string;
  /** Empty when all servers of the edition may write. */
  readonly server: string;
}

/** The row of the table `store`, and the last row of the table `turn`. */
export interface StoreRow extends CountedState, Owner {
  readonly schemaVersion: number;
  readonly pausedSinceMicros: number | undefined;
  /**
   * The timeline on which the store is known to be complete. Undefined: the next server accepts the database as it
   * is.
   */
  readonly timeline: string | undefined;
  /** The OID of the table. It changes when a dump is restored. */
  readonly tableOid: string;
}

/** Reads the pause of the edition whose servers may write. */
export const READ_STATE: Statement = {
  sql: `SELECT s.id, t.head, t.number, t.name::text, s.edition, s.server,
    CASE s.edition WHEN 'C' THEN s.tickets_paused_since ELSE s.paused_since END, s.timeline, s.tableoid::text,
    s.schema_version FROM store s, (SELECT head, number, name FROM turn ORDER BY number DESC LIMIT 1) t`,
};

/**
 * Locks the store against other servers until the end of the transaction. The state must be read by a later
 * statement, whose own snapshot contains their last commit.
 */
export const LOCK_STORE: Statement = { sql: "SELECT FROM store FOR UPDATE" };

export function storeRow(rows: readonly Row[]): StoreRow {
  const [row] = rows;
  if (row === undefined) throw new Error("the table store or the table turn has no row");
  const [id, head, number, name, edition, server, pausedSince, timeline, tableOid, schemaVersion] = row;
  return {
    storeId: textIn(id),
    head: numberIn(head),
    turn: lastTransaction(number, name),
    edition: textIn(edition),
    server: textIn(server),
    pausedSinceMicros: pausedSince === null ? undefined : numberIn(pausedSince),
    timeline: timeline === null ? undefined : textIn(timeline),
    tableOid: textIn(tableOid),
    schemaVersion: numberIn(schemaVersion),
  };
}

export function writeStoreId(storeId: string): Statement {
  return { sql: "UPDATE store SET id = $1", params: [storeId] };
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

export function writeTimeline(timeline: string): Statement {
  return { sql: "UPDATE store SET timeline = $1", params: [timeline] };
}
