import assert from "node:assert/strict";
import { numberIn } from "../../../src/store/postgres/protocol/cells.ts";
import { TURN_ROWS_MAX, presenceOf, readTurn } from "../../../src/store/postgres/tables/turns.ts";
import { clusterTest } from "./support/postgres_test.ts";
import { newLocation, openStore } from "./support/shared_stores.ts";
import { inTime } from "./support/in_time.ts";

/** The gap that a new store ID leaves. */
const GAP = 2 ** 32;

await clusterTest(
  "old rows of `turn` are removed by count, and a removed one is never called missing",
  async (cluster) => {
    const place = newLocation(cluster);
    await (await openStore(place)).close();
    const add = (first: number, count: number): Promise<unknown> =>
      cluster.sql(
        `INSERT INTO ${place.schema}.turn SELECT n, 0, gen_random_uuid() FROM generate_series(${first}, ${
          first + count - 1
        }::bigint) n`,
      );
    await add(1, 5000);
    await add(GAP, TURN_ROWS_MAX - 1000);
    const store = await openStore(place);
    const lowest = async (): Promise<number> =>
      numberIn((await cluster.sql(`SELECT min(number) FROM ${place.schema}.turn`))[0]![0]);
    await inTime(
      async () => assert.equal(await lowest(), 4001, "those before the gap stay as long as others"),
    );
    const presence = async (number: number): Promise<string> => {
      const { sql, params } = readTurn(number);
      const text = sql.replaceAll("FROM turn", `FROM ${place.schema}.turn`).replace("$1", String(params![0]));
      return presenceOf({ number, name: crypto.randomUUID() }, await cluster.sql(text));
    };
    assert.equal(await presence(0), "forgotten");
    assert.equal(await presence(4000), "forgotten");
    assert.equal(await presence(6000), "missing");
    await store.close();
  },
);
