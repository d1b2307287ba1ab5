import type { StoreState } from "../../api/state.ts";
import type { Database } from "../connection/database.ts";

/** Reads the state that the current transaction sees. */
export function readState(db: Database): StoreState {
  const row = db.get("SELECT id, (SELECT max(sequence) FROM event) FROM store");
  if (row === undefined) throw new Error("the table store has no row");
  return { storeId: row[0] as string, head: (row[1] as number | null) ?? 0 };
}

/** Gives the store a new identity, for a history that starts anew. */
export function changeStoreId(db: Database, storeId: string): void {
  db.run("UPDATE store SET id = ?", storeId);
}

/** Returns since when the store is paused, in microseconds since 1970, or undefined. */
export function readPausedSince(db: Database): number | undefined {
  return (db.get("SELECT paused_since FROM store")?.[0] as number | null | undefined) ?? undefined;
}

export function writePausedSince(db: Database, sinceMicros: number | undefined): void {
  db.run("UPDATE store SET paused_since = ?", sinceMicros === undefined ? null : BigInt(sinceMicros));
}
