import { numberIn, type Row, textIn } from "../protocol/cells.ts";
import type { Statement } from "../protocol/session.ts";

/** A server that has given a sign of life lately. */
export interface SeenServer {
  readonly name: string;
  readonly edition: string;
  /** Since its last sign of life. */
  readonly seconds: number;
}

/** A server gives a sign of life so often, and one that gave none for so long is not there any more. */
export const SIGN_SECONDS = 5;
const GONE_SECONDS = 3 * SIGN_SECONDS;

/** For so long, a server that is not there any more may still ask what became of its last turn. */
const FORGOTTEN_DAYS = 7;

/** A sign of life. */
export function writeSeen(server: string, edition: string): Statement {
  return {
    sql: `INSERT INTO server (name, edition, turn, seen) VALUES ($1, $2, '', clock_timestamp())
      ON CONFLICT (name) DO UPDATE SET seen = clock_timestamp()`,
    params: [server, edition],
  };
}

/** Leaves the name of a turn for who loses the answer to its COMMIT. */
export function writeTurn(server: string, edition: string, turn: string): Statement {
  return {
    sql: `INSERT INTO server (name, edition, turn, seen) VALUES ($1, $2, $3, clock_timestamp())
      ON CONFLICT (name) DO UPDATE SET turn = $3`,
    params: [server, edition, turn],
  };
}

/**
 * Writes the name of a turn that is there once more: a synchronous replica confirms the COMMIT of that only together with
 * all before it, thus with the turn.
 */
export function confirmTurn(server: string, turn: string): Statement {
  return { sql: "UPDATE server SET turn = $2 WHERE name = $1 AND turn = $2", params: [server, turn] };
}

export function readTurn(server: string): Statement {
  return { sql: "SELECT turn FROM server WHERE name = $1", params: [server] };
}

/** The name of the last turn of a server; undefined when nothing is known of the server. */
export function turnOf([row]: readonly Row[]): string | undefined {
  return row === undefined ? undefined : textIn(row[0]);
}

export function deleteServer(server: string): Statement {
  return { sql: "DELETE FROM server WHERE name = $1", params: [server] };
}

export const DELETE_FORGOTTEN: Statement = {
  sql: `DELETE FROM server WHERE seen < clock_timestamp() - interval '${FORGOTTEN_DAYS} days'`,
};

/** The other servers that are there, the one seen last first. */
export function readOthers(server: string): Statement {
  return {
    sql: `SELECT name, edition, extract(epoch FROM clock_timestamp() - seen)::integer FROM server
      WHERE name <> $1 AND seen > clock_timestamp() - interval '${GONE_SECONDS} seconds' ORDER BY seen DESC`,
    params: [server],
  };
}

export function seenServers(rows: readonly Row[]): SeenServer[] {
  return rows.map(([name, edition, seconds]) => ({
    name: textIn(name),
    edition: textIn(edition),
    seconds: Math.max(0, numberIn(seconds)),
  }));
}
