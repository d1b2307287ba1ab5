import { DatabaseSync } from "node:sqlite";
import { psql } from "./psql.ts";
import type { ServerProcess } from "./server_process.ts";
import { schemaOf, testsPostgres } from "./test_storage.ts";

/** Makes every insert of an event fail in the database of a running server, until it is disposed of. */
export function failWrites({ databasePath, dataDir }: ServerProcess): Disposable {
  if (testsPostgres()) return failRows(schemaOf(dataDir));
  run(
    databasePath,
    "CREATE TRIGGER failing BEFORE INSERT ON event BEGIN SELECT RAISE(ABORT, 'a fault'); END",
  );
  return { [Symbol.dispose]: () => run(databasePath, "DROP TRIGGER failing") };
}

function failRows(schema: string): Disposable {
  psql(`CREATE FUNCTION ${schema}.fail() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN RAISE EXCEPTION 'a fault'; END $$`);
  psql(`CREATE TRIGGER failing BEFORE INSERT ON ${schema}.event EXECUTE FUNCTION ${schema}.fail()`);
  return {
    [Symbol.dispose](): void {
      psql(`DROP TRIGGER failing ON ${schema}.event`);
      psql(`DROP FUNCTION ${schema}.fail()`);
    },
  };
}

function run(databasePath: string, sql: string): void {
  using database = new DatabaseSync(databasePath, { timeout: 2000 });
  database.exec(sql);
}
