import { join } from "node:path";
import { psql } from "./psql.ts";
import type { ServerProcess } from "./server_process.ts";
import { schemaOf, testsPostgres } from "./test_storage.ts";

/** Keeps a running server of edition C from saving a pause, until it is disposed of. */
export function failPauses({ dataDir }: ServerProcess): Disposable {
  if (testsPostgres()) {
    const table = `${schemaOf(dataDir)}.store`;
    psql(`ALTER TABLE ${table} ADD CONSTRAINT failing CHECK (tickets_paused_since IS NULL)`);
    return { [Symbol.dispose]: () => void psql(`ALTER TABLE ${table} DROP CONSTRAINT failing`) };
  }
  // The server removes what is in the way of its next attempt.
  Deno.mkdirSync(join(dataDir, "service.paused"));
  return { [Symbol.dispose]: () => {} };
}
