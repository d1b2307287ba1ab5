import { join } from "node:path";
import { Database } from "../../src/store/sqlite/connection/database.ts";

/** The type of events on whose append the database works for long, once `makeAppendLong` was called. */
export const LONG_TYPE = "takes long";

/** Counts rows for so many seconds, or longer, since a fast machine needs 60 ns for each. */
function longCount(seconds: number): string {
  const rows = Math.round(seconds / 60e-9);
  return `SELECT count(*) FROM (
    WITH RECURSIVE counted (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM counted WHERE i < ${rows})
    SELECT i FROM counted
  )`;
}

/** Adds a trigger to the database of a server, which may be running. */
export function makeAppendLong(dataDir: string, seconds: number): void {
  change(
    dataDir,
    `CREATE TRIGGER takes_long BEFORE INSERT ON event WHEN instr(NEW.body, '${LONG_TYPE}')
       BEGIN ${longCount(seconds)}; END`,
  );
}

/** From now on, the database works for so long whenever it reads events. */
export function makeReadsLong(dataDir: string, seconds: number): void {
  change(
    dataDir,
    `ALTER TABLE event RENAME TO stored_event;
     CREATE VIEW event AS
       SELECT sequence, time, iif((${longCount(seconds)}) > 0, body, NULL) AS body FROM stored_event;
     CREATE TRIGGER stores INSTEAD OF INSERT ON event
       BEGIN INSERT INTO stored_event VALUES (NEW.sequence, NEW.time, NEW.body); END`,
  );
}

function change(dataDir: string, script: string): void {
  using db = new Database(join(dataDir, "events.db"), { readOnly: false });
  db.script(script);
}
