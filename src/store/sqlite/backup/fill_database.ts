import type { Database } from "../connection/database.ts";
import type { PreparedEvent } from "../../core/prepare_event.ts";
import { appendEvents } from "../tables/events.ts";

/**
 * Writes the first events into a new database that no other connection uses yet, each batch in a transaction of its
 * own.
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
