import assert from "node:assert/strict";
import { initPostgresStore } from "../../../src/store/postgres/connection/create_store.ts";
import { readStoppedStore } from "../../../src/store/postgres/connection/stopped_store.ts";
import { newEvent, prepared } from "../../store/made_writes.ts";
import { clusterTest } from "./support/postgres_test.ts";
import { newLocation } from "./support/shared_stores.ts";

await clusterTest(
  "a stopped store is read in large batches from its first event to its last, unless its version is unknown",
  async (cluster) => {
    const location = newLocation(cluster);
    const events = Array.from({ length: 5000 }, () => prepared(newEvent("t", [], "x".repeat(200))));
    await initPostgresStore(location, [{ events, projections: [] }]);
    const sizes: number[] = [];
    await readStoppedStore(location, async (stopped) => {
      for await (const { length } of stopped.events()) sizes.push(length);
    }, false);
    assert.equal(sizes.reduce((sum, size) => sum + size, 0), 5000);
    assert.ok(sizes.length <= 20, `${sizes.length} round trips`);

    await cluster.sql(`UPDATE ${location.schema}.store SET schema_version = 99`);
    await assert.rejects(
      readStoppedStore(location, () => assert.fail("it was read"), false),
      /: it has schema version 99, and this program works with version 2$/,
    );
  },
);
