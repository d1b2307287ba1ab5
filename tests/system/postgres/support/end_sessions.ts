import assert from "node:assert/strict";
import { numberIn } from "../../../../src/store/postgres/protocol/cells.ts";
import { eventually } from "../../../support/eventually.ts";
import type { PostgresCluster } from "./cluster.ts";

/** Ends the sessions of all servers, as an administrator can, and waits until they are gone. */
export async function endSessions(cluster: PostgresCluster): Promise<void> {
  const rows = await cluster.sql(
    "SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'eventstore' AND pid <> pg_backend_pid()",
  );
  if (rows.length === 0) return;
  const ended = rows.map(([pid]) => numberIn(pid)).join();
  await eventually(async () => {
    assert.deepEqual(await cluster.sql(`SELECT pid FROM pg_stat_activity WHERE pid IN (${ended})`), []);
  });
}
