import assert from "node:assert/strict";
import { numberIn, textIn } from "../../../src/store/postgres/protocol/cells.ts";
import { ofTypes } from "../../store/made_writes.ts";
import { written } from "../../store/outcomes.ts";
import { eventually } from "../../support/eventually.ts";
import { clusterTest } from "./support/postgres_test.ts";
import { newLocation, openStore } from "./support/shared_stores.ts";

/** More than a block of the time index. */
const TURNS = 1200;

await clusterTest(
  "write transactions leave no dead versions, which an old snapshot would keep and slow them down",
  async (cluster) => {
    for (const [edition, servers] of [["A", "shared"], ["C", "exclusive"]] as const) {
      const location = newLocation(cluster);
      const { schema } = location;
      const store = await openStore(location, { edition, servers });
      const changed = async (): Promise<Map<string, number>> => {
        await cluster.sql("SELECT pg_stat_force_next_flush()").catch(() => {});
        const rows = await cluster.sql(
          `SELECT relname::text, n_tup_upd + n_tup_del FROM pg_stat_user_tables WHERE schemaname = '${schema}'`,
        );
        return new Map(rows.map(([table, count]) => [textIn(table), numberIn(count)]));
      };
      for (let turn = 0; turn < TURNS; turn++) written((await store.writer.group([ofTypes("a")]))[0]);
      await store.close();
      await eventually(async () => {
        const rows = await cluster.sql(
          `SELECT n_tup_ins FROM pg_stat_user_tables WHERE schemaname = '${schema}' AND relname = 'turn'`,
        );
        assert.equal(numberIn(rows[0]![0]), TURNS + 1, "what is counted is there");
      });
      const counts = await changed();
      for (const table of ["event", "event_term", "time_block", "turn"]) {
        assert.equal(counts.get(table), 0, table);
      }
      assert.ok(counts.get("store")! <= 3, `a start changes the store, turns do not: ${counts.get("store")}`);
      assert.ok(counts.get("server")! <= 20, `heartbeats are few: ${counts.get("server")}`);
    }
  },
);
