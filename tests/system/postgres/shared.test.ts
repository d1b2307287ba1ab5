import assert from "node:assert/strict";
import { EVERYTHING, typesOf } from "../../store/chunks.ts";
import { ofTypes } from "../../store/made_writes.ts";
import { written } from "../../store/outcomes.ts";
import { clusterTest } from "./support/postgres_test.ts";
import { SharedStores } from "./support/shared_stores.ts";

await clusterTest("several servers of edition A write to one store, in one order", async (cluster) => {
  await using shared = await SharedStores.open(cluster, 3);
  const { stores, broken } = shared;
  assert.equal(new Set(stores.map(({ storeId }) => storeId)).size, 1);
  assert.equal(stores.filter(({ opened }) => opened.created).length, 1, "one of them has created it");
  const types: string[] = [];
  for (let round = 0; round < 5; round++) {
    for (const [i, store] of stores.entries()) {
      const type = `${round}.${i}`;
      types.push(type);
      assert.equal(written((await store.turns.group([ofTypes(type)]))[0]).firstSequence, types.length);
    }
  }
  for (const store of stores) assert.deepEqual(typesOf(await store.reads.chunk(EVERYTHING)), types);
  assert.deepEqual(broken, []);
});
