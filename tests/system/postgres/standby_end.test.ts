import assert from "node:assert/strict";
import { openPostgres } from "../../../src/store/postgres/open_postgres.ts";
import { ofTypes } from "../../store/made_writes.ts";
import { DONE, written } from "../../store/outcomes.ts";
import { clusterTest } from "./support/postgres_test.ts";
import { newLocation } from "./support/shared_stores.ts";

await clusterTest(
  "a server that has taken over finishes its write transaction when it is stopped",
  async (cluster) => {
    const place = newLocation(cluster);
    const options = { readersMax: 1, edition: "B", servers: "exclusive" } as const;
    const first = await openPostgres(place, options);
    await first.store!.close();
    const standby = first.standby!;
    const store = (await standby.takeOver())!;
    assert.deepEqual(await store.writer.begin(), DONE);
    written(await store.writer.writeInside(ofTypes("a")));
    // Ending the role closes both at the same time.
    await standby.close();
    assert.deepEqual(await store.writer.commit(), DONE);
    await store.close();
  },
);
