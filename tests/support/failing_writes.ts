import { DatabaseSync } from "node:sqlite";
import type { ServerProcess } from "./server_process.ts";

/** Makes every insert of an event fail in the database of a running server, until it is disposed of. */
export function failWrites({ databasePath }: ServerProcess): Disposable {
  run(
    databasePath,
    "CREATE TRIGGER failing BEFORE INSERT ON event BEGIN SELECT RAISE(ABORT, 'a fault'); END",
  );
  return { [Symbol.dispose]: () => run(databasePath, "DROP TRIGGER failing") };
}

function run(databasePath: string, sql: string): void {
  using database = new DatabaseSync(databasePath, { timeout: 2000 });
  database.exec(sql);
}
