import type { Database } from "../connection/database.ts";
import type { ImportBatch } from "../../core/import_batch.ts";
import { appendEvents } from "../tables/events.ts";
import { insertProjections } from "../tables/projections.ts";

/**
 * Writes the first events, and projections, into a new database that no other connection uses yet, each batch in a
 * transaction of its own.
 * @returns how many events
 */
export function fillDatabase(db: Database, batches: Iterable<ImportBatch>): number {
  let head = 0;
  for (const { events, projections } of batches) {
    db.run("BEGIN");
    appendEvents(db, head, events);
    insertProjections(db, projections);
    db.run("COMMIT");
    // Otherwise the WAL would grow as large as the database.
    db.all("PRAGMA wal_checkpoint(PASSIVE)");
    head += events.length;
  }
  return head;
}
