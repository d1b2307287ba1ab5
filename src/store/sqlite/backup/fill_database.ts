import type { Database } from "../connection/database.ts";
import { type ImportBatch, isSealed, needsSubjects } from "../../core/import_batch.ts";
import type { PreparedEvent } from "../../core/prepare_event.ts";
import { appendEvents } from "../tables/events.ts";
import { insertProjections } from "../tables/projections.ts";
import { addSubjects, insertSubjects } from "../tables/subjects.ts";
import { SubjectKeys } from "../writing/subject_keys.ts";

/**
 * Writes the first events, and projections, into a new database that no other connection uses yet, each batch in a
 * transaction of its own.
 * @param subjectNames the identifiers that stand for a person; payloads of their events are encrypted
 * @returns how many events
 */
export function fillDatabase(
  db: Database,
  batches: Iterable<ImportBatch>,
  subjectNames: readonly string[],
): number {
  const keys = SubjectKeys.of(db, subjectNames);
  const stored = (event: PreparedEvent): PreparedEvent => isSealed(event) ? event : keys!.sealed(event);
  let head = 0;
  for (const batch of batches) {
    const { events, projections, subjects = [] } = batch;
    if (needsSubjects(batch)) addSubjects(db);
    db.run("BEGIN");
    insertSubjects(db, subjects);
    appendEvents(db, head, keys === undefined ? events : events.map(stored));
    insertProjections(db, projections);
    db.run("COMMIT");
    // Otherwise the WAL would grow as large as the database.
    db.all("PRAGMA wal_checkpoint(PASSIVE)");
    head += events.length;
  }
  return head;
}
