import type { Database } from "./database.ts";
import { appendEvents, type PreparedEvent } from "./events.ts";

/**
 * Puts the first events into a database that nobody has seen yet, each batch in a transaction of its own.
 * @returns how many
 */
export function fillDatabase(db: Database, batches: Iterable<readonly PreparedEvent[]>): number {
  let head = 0;
  for (const events of batches) {
    db.run("BEGIN");
    appendEvents(db, head, events);
    db.run("COMMIT");
    // Otherwise the WAL would grow as large as the database.
    db.all("PRAGMA wal_checkpoint(PASSIVE)");
    head += events.length;
  }
  return head;
}
