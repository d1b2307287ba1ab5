import assert from "node:assert/strict";
import type { Query } from "../../../src/model/query.ts";
import { numberIn, textIn } from "../../../src/store/postgres/protocol/cells.ts";
import { presenceOf, readTurn, TURN_ROWS_MAX } from "../../../src/store/postgres/tables/turns.ts";
import { EVERYTHING, sequencesOf } from "../../store/chunks.ts";
import { changing, newEvent, ofTypes, queryOf, storeWrite, tag } from "../../store/made_writes.ts";
import { conflictOf, DONE, kindOf, written } from "../../store/outcomes.ts";
import { inTime } from "./support/in_time.ts";
import { clusterTest } from "./support/postgres_test.ts";
import { newLocation, openStore } from "./support/shared_stores.ts";

const EVENTS = 3000;
const PER_WRITE = 100;

await clusterTest(
  "no statement of a server scans a whole table, whatever PostgreSQL knows about it",
  async (cluster) => {
    const location = { address: cluster.address(), schema: "plans" };
    const store = await openStore(location);
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
    const again = await openStore(location);
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
      await inTime(async () => {
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

/** The gap that a new store ID leaves. */
const GAP = 2 ** 32;

await clusterTest(
  "old rows of `turn` are removed by count, and a removed one is never called missing",
  async (cluster) => {
    const location = newLocation(cluster);
    await (await openStore(location)).close();
    const add = (first: number, count: number): Promise<unknown> =>
      cluster.sql(
        `INSERT INTO ${location.schema}.turn SELECT n, 0, gen_random_uuid() FROM generate_series(${first}, ${
          first + count - 1
        }::bigint) n`,
      );
    await add(1, 5000);
    await add(GAP, TURN_ROWS_MAX - 1000);
    const store = await openStore(location);
    const lowest = async (): Promise<number> =>
      numberIn((await cluster.sql(`SELECT min(number) FROM ${location.schema}.turn`))[0]![0]);
    await inTime(
      async () => assert.equal(await lowest(), 4001, "those before the gap stay as long as others"),
    );
    const presence = async (number: number): Promise<string> => {
      const { sql, params } = readTurn(number);
      const text = sql.replaceAll("FROM turn", `FROM ${location.schema}.turn`).replace(
        "$1",
        String(params![0]),
      );
      return presenceOf({ number, name: crypto.randomUUID() }, await cluster.sql(text));
    };
    assert.equal(await presence(0), "forgotten");
    assert.equal(await presence(4000), "forgotten");
    assert.equal(await presence(6000), "missing");
    await store.close();
  },
);
