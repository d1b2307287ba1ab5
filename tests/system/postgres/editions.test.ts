import assert from "node:assert/strict";
import type { PostgresLocation } from "../../../src/store/postgres/connection/address.ts";
import type { PostgresStore } from "../../../src/store/postgres/postgres_store.ts";
import { ofTypes } from "../../store/made_writes.ts";
import { kindOf, written } from "../../store/outcomes.ts";
import { clusterTest } from "./support/postgres_test.ts";
import { brokenOf, newLocation, openStore } from "./support/shared_stores.ts";

const SERVERS = { A: "shared", B: "exclusive", C: "exclusive" } as const;

function open(location: PostgresLocation, edition: keyof typeof SERVERS): Promise<PostgresStore> {
  return openStore(location, { edition, servers: SERVERS[edition] });
}

await clusterTest("servers of different editions reject each other", async (cluster) => {
  for (const [present, rejected] of [["A", "B"], ["B", "A"], ["B", "C"]] as const) {
    const location = newLocation(cluster);
    const store = await open(location, present);
    written((await store.writer.group([ofTypes("a")]))[0]);
    const message = new RegExp(
      `^PostgresStoreError: the store in schema s_\\w+ of .+: it is in use by a server of edition ${present} ` +
        `\\(seen \\d+ s ago\\), and this is one of edition ${rejected}$`,
    );
    await assert.rejects(open(location, rejected), message);
    written((await store.writer.group([ofTypes("b")]))[0]);
    await store.close();
    const next = await open(location, rejected);
    assert.equal(next.opened.head, 2, "once no server runs, that of another edition has the store");
    await next.close();
  }
});

await clusterTest("each edition finds its own pause when it takes the store over", async (cluster) => {
  const location = newLocation(cluster);
  const since = 1_700_000_000_000_000;
  const paused = await open(location, "C");
  await paused.writer.setPaused(since);
  await paused.close();
  for (const [edition, expected] of [["B", undefined], ["C", since]] as const) {
    const store = await open(location, edition);
    assert.equal(store.opened.pausedSinceMicros, expected, edition);
    await store.close();
  }
});

await clusterTest(
  "a server whose store another edition has taken over writes nothing any more",
  async (cluster) => {
    const location = newLocation(cluster);
    const first = await open(location, "A");
    const broken = brokenOf(first);
    written((await first.writer.group([ofTypes("a")]))[0]);
    // As if it had been frozen for so long that it counts as gone.
    await cluster.sql(...agedSigns(location.schema));
    const second = await open(location, "C");
    assert.equal(kindOf((await first.writer.group([ofTypes("lost")]))[0]), "failed");
    assert.deepEqual(broken, ["a server of edition C has taken over the store"]);
    assert.equal(written((await second.writer.group([ofTypes("b")]))[0]).firstSequence, 2);
    await first.close();
    await second.close();
  },
);

/** Makes the heartbeats of servers of edition A old, and also later ones: such a server sends them in between. */
function agedSigns(schema: string): string[] {
  return [
    `CREATE FUNCTION ${schema}.age() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN NEW.seen := clock_timestamp() - interval ''1 hour''; RETURN NEW; END'`,
    `CREATE TRIGGER age BEFORE INSERT OR UPDATE ON ${schema}.server
      FOR EACH ROW WHEN (NEW.edition = 'A') EXECUTE FUNCTION ${schema}.age()`,
    `UPDATE ${schema}.server SET seen = seen`,
  ];
}
