import assert from "node:assert/strict";
import type { Query } from "../../../src/model/query.ts";
import { numberIn, textIn } from "../../../src/store/postgres/protocol/cells.ts";
import { EVERYTHING, sequencesOf } from "../../store/chunks.ts";
import { changing, newEvent, queryOf, storeWrite, tag } from "../../store/made_writes.ts";
import { conflictOf, DONE, kindOf, written } from "../../store/outcomes.ts";
import { clusterTest } from "./support/postgres_test.ts";
import { openStore } from "./support/shared_stores.ts";

const EVENTS = 3000;
const PER_WRITE = 100;

await clusterTest(
  "no statement of a server scans a whole table, whatever PostgreSQL knows about it",
  async (cluster) => {
    const place = { address: cluster.address(), schema: "plans" };
    const store = await openStore(place);
    for (let from = 0; from < EVENTS; from += PER_WRITE) {
      const events = Array.from({ length: PER_WRITE }, (_, i) => {
        const n = from + i;
        return newEvent(n % 2 === 0 ? "even" : "odd", [
          tag("n", String(n)),
          tag("all", "x"),
          tag("ten", String(n % 10)),
        ]);
      });
      const create = [{ type: "p", id: String(from), payload: "x" }];
      const { projections } = changing({ create });
      written((await store.writer.group([storeWrite(events, { projections })]))[0]);
    }
    await store.close();
    // A store that was just opened has no memory of events, which could prove a condition.
    const again = await openStore(place);
    // From here on, tables are neither empty nor known.
    await cluster.sql("SELECT pg_stat_reset()");
    const queries: Query[] = [
      queryOf(["even"]),
      queryOf(["even", "odd"], [tag("ten", "3")]),
      queryOf([], [tag("all", "x"), tag("n", "1234")]),
      [...queryOf(["none"]), ...queryOf([], [tag("all", "x"), tag("ten", "7")])],
    ];
    for (const failIfEventsMatch of queries) {
      const [outcome] = await again.writer.group([
        storeWrite([], { conditions: [{ failIfEventsMatch, afterSequence: 9 }] }),
      ]);
      assert.equal(conflictOf(outcome).list, "conditions");
      const absent = storeWrite([], {
        conditions: [{ failIfEventsMatch: queryOf([], [tag("n", "none")]), afterSequence: 0 }],
      });
      assert.equal(kindOf((await again.writer.group([absent]))[0]), "written");
    }
    const key = { type: "p", id: "0" };
    const versionNow = async (): Promise<string> => (await again.reads.projection(key)).projection!.version;
    const replace = [{ ...key, version: await versionNow(), payload: "y" }];
    written((await again.writer.group([changing({ replace })]))[0]);
    written((await again.writer.group([changing({ delete: [{ ...key, version: await versionNow() }] })]))[0]);
    assert.deepEqual(await again.writer.deleteProjections("p"), DONE);
    const time = { fromMicros: 0, beforeMicros: 2_000_000_000_000_000 };
    for (const query of ["every", ...queries] as const) {
      for (const backwards of [false, true]) {
        for (const bounds of [{}, { afterSequence: 2000 }, { time }, { limit: 1 }]) {
          const chunk = await again.reads.chunk({ ...EVERYTHING, query, backwards, ...bounds });
          assert.ok(sequencesOf(chunk).length > 0 || "afterSequence" in bounds, JSON.stringify(query));
        }
      }
    }
    assert.deepEqual(await again.writer.optimize(), DONE);
    await again.close();
    const rows = await cluster.sql(
      "SELECT relname::text, seq_scan, coalesce(idx_scan, 0) FROM pg_stat_user_tables WHERE schemaname = 'plans' AND relname NOT IN ('store', 'server') ORDER BY 1",
    );
    const scans = rows.map(([table, whole, index]) => [textIn(table), numberIn(whole), numberIn(index) > 0]);
    const tables = ["event", "event_term", "projection", "time_block", "turn"];
    assert.deepEqual(scans, tables.map((table) => [table, 0, true]));
  },
);
