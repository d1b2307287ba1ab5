import assert from "node:assert/strict";
import { numberIn } from "../../../src/store/postgres/protocol/cells.ts";
import { ofTypes } from "../../store/made_writes.ts";
import { kindOf } from "../../store/outcomes.ts";
import type { PostgresCluster } from "./support/cluster.ts";
import { clusterTest } from "./support/postgres_test.ts";
import { SharedStores } from "./support/shared_stores.ts";
import { inTime } from "./support/in_time.ts";

/** The process of the connection that waits for a synchronous replica, if one does. */
async function waitingForReplica(cluster: PostgresCluster): Promise<number | undefined> {
  const [row] = await cluster.sql("SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
  return row === undefined ? undefined : numberIn(row[0]);
}

async function setReplicas(cluster: PostgresCluster, names: string): Promise<void> {
  await cluster.sql(
    `ALTER SYSTEM SET synchronous_standby_names = '${names}'`,
    "SELECT pg_reload_conf()",
  );
  await inTime(async () => {
    const [row] = await cluster.sql(
      `SELECT (current_setting('synchronous_standby_names') = '${names}')::integer`,
    );
    assert.equal(numberIn(row![0]), 1);
  });
}

for (const ending of ["pg_cancel_backend", "pg_terminate_backend"]) {
  await clusterTest(
    `a write is not reported as done when ${ending} ends its wait for a synchronous replica`,
    async (cluster) => {
      await using shared = await SharedStores.open(cluster, 1);
      const [store] = shared.stores;
      await setReplicas(cluster, "nobody");
      let isReported = false;
      const writing = store!.writer.group([ofTypes("a")]).finally(() => isReported = true);
      let first: number | undefined;
      await inTime(async () => {
        first = await waitingForReplica(cluster);
        assert.ok(first !== undefined, "nobody waits for a replica");
      });
      await cluster.sql(`SELECT ${ending}(${first})`);
      // The query for the outcome waits for a replica as well: only then the write is known to be on one.
      await inTime(async () => {
        const second = await waitingForReplica(cluster);
        assert.ok(second !== undefined && second !== first, "nobody waits for a replica again");
      });
      assert.equal(isReported, false, "told, and no replica has it");
      await setReplicas(cluster, "");
      assert.equal(kindOf((await writing)[0]), "written");
      assert.deepEqual(shared.broken, []);
    },
  );
}
