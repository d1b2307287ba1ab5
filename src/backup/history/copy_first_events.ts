import { type PreparedEvent, prepareEvent } from "../../store/core/prepare_event.ts";
import { openForWriting } from "../../store/sqlite/connection/connection.ts";
import type { BlockTree } from "../../model/block_tree.ts";
import type { Database } from "../../store/sqlite/connection/database.ts";
import { createSchema } from "../../store/sqlite/tables/schema.ts";
import { appendEvents } from "../../store/sqlite/tables/events.ts";
import { createOrigin, type Origin } from "../../store/sqlite/tables/origin.ts";
import { addSubjects, hasSubjects } from "../../store/sqlite/tables/subjects.ts";
import { writeBlocks } from "../../store/sqlite/tables/tree.ts";
import { BATCH_ITEMS_MAX, BATCH_UNITS_MAX } from "./imported_file.ts";
import { LineTree } from "./line_tree.ts";
import type { SignalGate } from "./signal_gate.ts";
import { walkHistory } from "./walk_history.ts";

/**
 * Turns an empty file into a backup of the first events, as if it had been made when the source had no more events.
 * @param from the backup, which has been checked
 * @param origin the origin of the backup
 * @param until sequence of the last event to copy
 */
export async function copyFirstEvents(
  from: Database,
  origin: Origin,
  until: number,
  path: string,
  gate: SignalGate,
): Promise<void> {
  using db = openForWriting(path);
  createSchema(db);
  if (hasSubjects(from)) addSubjects(db);
  createOrigin(db, origin);
  const lines = new LineTree();
  let head = 0;
  let batch: PreparedEvent[] = [];
  let units = 0;
  for await (const events of walkHistory(from, { after: 0, upTo: until }, gate)) {
    for (const { event, timeMicros, body, line } of events) {
      lines.add(line);
      batch.push(prepareEvent(event, timeMicros, body));
      units += body.length;
    }
    if (batch.length < BATCH_ITEMS_MAX && units < BATCH_UNITS_MAX && head + batch.length < until) continue;
    appendBatch(db, head, batch, lines.tree);
    head += batch.length;
    batch = [];
    units = 0;
  }
}

function appendBatch(db: Database, head: number, batch: readonly PreparedEvent[], tree: BlockTree): void {
  db.run("BEGIN");
  appendEvents(db, head, batch);
  writeBlocks(db, tree.blocksSince(head));
  db.run("COMMIT");
  // Otherwise the WAL would grow as large as the database.
  db.all("PRAGMA wal_checkpoint(PASSIVE)");
}
