import assert from "node:assert/strict";
import { PostgresStore } from "../../../src/store/postgres/postgres_store.ts";
import { numberIn } from "../../../src/store/postgres/protocol/cells.ts";
import { presenceOf, readTurn, TURN_ROWS_MAX } from "../../../src/store/postgres/tables/turns.ts";
import { eventually } from "../../support/eventually.ts";
import { clusterTest } from "./support/postgres_test.ts";
import { newLocation } from "./support/shared_stores.ts";

/** The gap that a new store ID leaves. */
const GAP = 2 ** 32;

await clusterTest(
  "old rows of `turn` are removed by count, and a removed one is never called missing",
  async (cluster) => {
    const place = newLocation(cluster);
    const options = { readersMax: 1, edition: "A", servers: "shared" } as const;
    await (await PostgresStore.open(place, options)).close();
    const add = (first: number, count: number): Promise<unknown> =>
      cluster.sql(
        `INSERT INTO ${place.schema}.turn SELECT n, 0, gen_random_uuid() FROM generate_series(${first}, ${
          first + count - 1
        }::bigint) n`,
      );
    await add(1, 5000);
    await add(GAP, TURN_ROWS_MAX - 1000);
    const store = await PostgresStore.open(place, options);
    const lowest = async (): Promise<number> =>
      numberIn((await cluster.sql(`SELECT min(number) FROM ${place.schema}.turn`))[0]![0]);
    await eventually(
      async () => assert.equal(await lowest(), 4001, "those before the gap stay as long as others"),
      60,
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
