import type { Database } from "../connection/database.ts";

/** The source of a backup's events. A store that is not a backup has no origin. */
export interface Origin {
  readonly storeId: string;
  /** The address at which the source was first read: a URL, or the path of a socket. */
  readonly source: string;
  /** The hash chain over all events, 32 bytes. */
  readonly chain: Uint8Array;
}

export function readOrigin(db: Database): Origin | undefined {
  const row = db.get("SELECT store_id, source, chain FROM origin");
  if (row === undefined) return undefined;
  const [storeId, source, chain] = row as [string, string, Uint8Array];
  return { storeId, source, chain };
}

export function createOrigin(db: Database, origin: Origin): void {
  db.run(
    "INSERT INTO origin (only_row, store_id, source, chain) VALUES (1, ?, ?, ?)",
    origin.storeId,
    origin.source,
    origin.chain,
  );
}

/** Stores the chain that includes the events which the same transaction appends. */
export function updateChain(db: Database, chain: Uint8Array): void {
  db.run("UPDATE origin SET chain = ?", chain);
}

/** Turns a backup into a store. */
export function deleteOrigin(db: Database): void {
  db.run("DELETE FROM origin");
}
