import { join } from "node:path";
import { psql } from "./psql.ts";
import { schemaOf, testsPostgres } from "./test_storage.ts";
import { Database } from "../../src/store/sqlite/connection/database.ts";

/** The type of an event whose append takes long in the database, once `makeAppendLong` was called. */
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
  if (testsPostgres()) return appendLongRows(schemaOf(dataDir), seconds);
  change(
    dataDir,
    `CREATE TRIGGER takes_long BEFORE INSERT ON event WHEN instr(NEW.body, '${LONG_TYPE}')
       BEGIN ${longCount(seconds)}; END`,
  );
}

/** Makes every read of events take this long in the database. */
export function makeReadsLong(dataDir: string, seconds: number): void {
  if (testsPostgres()) return readLongRows(schemaOf(dataDir), seconds);
  change(
    dataDir,
    `ALTER TABLE event RENAME TO stored_event;
     CREATE VIEW event AS
       SELECT sequence, time, iif((${longCount(seconds)}) > 0, body, NULL) AS body FROM stored_event;
     CREATE TRIGGER stores INSTEAD OF INSERT ON event
       BEGIN INSERT INTO stored_event VALUES (NEW.sequence, NEW.time, NEW.body); END`,
  );
}

function appendLongRows(schema: string, seconds: number): void {
  psql(
    `CREATE FUNCTION ${schema}.take_long() RETURNS trigger LANGUAGE plpgsql
       AS $$ BEGIN PERFORM pg_sleep(${seconds}); RETURN NEW; END $$;
     CREATE TRIGGER takes_long BEFORE INSERT ON ${schema}.event FOR EACH ROW
       WHEN (strpos(NEW.body, '${LONG_TYPE}') > 0) EXECUTE FUNCTION ${schema}.take_long()`,
  );
}

function readLongRows(schema: string, seconds: number): void {
  psql(
    `ALTER TABLE ${schema}.event RENAME TO stored_event;
     CREATE VIEW ${schema}.event AS
       SELECT sequence, time, CASE WHEN (SELECT count(*) FROM pg_sleep(${seconds})) > 0 THEN body END AS body
       FROM ${schema}.stored_event;
     CREATE FUNCTION ${schema}.store() RETURNS trigger LANGUAGE plpgsql
       AS $$ BEGIN INSERT INTO ${schema}.stored_event VALUES (NEW.sequence, NEW.time, NEW.body); RETURN NEW; END $$;
     CREATE TRIGGER stores INSTEAD OF INSERT ON ${schema}.event FOR EACH ROW EXECUTE FUNCTION ${schema}.store()`,
  );
}

function change(dataDir: string, script: string): void {
  using db = new Database(join(dataDir, "events.db"), { readOnly: false });
  db.script(script);
}
