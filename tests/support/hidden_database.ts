import { psql } from "./psql.ts";
import type { ServerProcess } from "./server_process.ts";
import { schemaOf, testsPostgres } from "./test_storage.ts";

/** Makes the database of a running server one that cannot be reached. */
export function hideDatabase({ databasePath, dataDir }: ServerProcess): void {
  if (!testsPostgres()) return Deno.renameSync(databasePath, `${databasePath}.elsewhere`);
  const schema = schemaOf(dataDir);
  psql(`ALTER SCHEMA ${schema} RENAME TO ${schema}_elsewhere`);
}
