import assert from "node:assert/strict";
import { parsePostgresUrl, type PostgresAddress } from "../../../src/config/postgres_url.ts";
import type { ChunkRequest } from "../../../src/store/api/chunk.ts";
import { openPrimary } from "../../../src/store/postgres/connection/open_session.ts";
import type { PostgresLocation } from "../../../src/store/postgres/connection/address.ts";
import type { PostgresStore } from "../../../src/store/postgres/postgres_store.ts";
import { numberIn } from "../../../src/store/postgres/protocol/cells.ts";
import { notify } from "../../../src/store/postgres/cluster/notifications.ts";
import { ofTypes } from "../../store/made_writes.ts";
import { written } from "../../store/outcomes.ts";
import { pause } from "../../support/eventually.ts";
import { type Passage, TcpProxy } from "../../support/tcp_proxy.ts";
import { failoverTest } from "./support/failover.ts";
import { openStore } from "./support/shared_stores.ts";
import { inTime } from "./support/in_time.ts";

const schema = "eventstore";

function locationOf(...ports: readonly number[]): PostgresLocation {
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join();
  return { address: parsePostgresUrl(`postgresql://postgres@${hosts}/postgres`) as PostgresAddress, schema };
}

/** A host that is cut off: connections to it stay open, and no bytes pass. */
class DeafProxy extends TcpProxy {
  isDeaf = false;

  protected override async forth(bytes: Uint8Array, passage: Passage): Promise<void> {
    if (!this.isDeaf) await super.forth(bytes, passage);
  }

  protected override async back(bytes: Uint8Array, passage: Passage): Promise<void> {
    if (!this.isDeaf) await super.back(bytes, passage);
  }
}

async function open(location: PostgresLocation, renewals: string[]): Promise<PostgresStore> {
  const store = await openStore(location, { readersMax: 4 });
  store.onNotice = ({ kind, reason }) => void (kind === "renewed" && renewals.push(reason));
  return store;
}

const page: ChunkRequest = { query: "every", afterSequence: 0, limit: 10, head: undefined };

await failoverTest("a host that is cut off, and a failover that loses nothing", async (failover) => {
  const [old, promoted] = failover.hosts;
  await using proxy = new DeafProxy(old!.port);
  const location = locationOf(proxy.port, promoted!.port);
  const renewals: string[] = [];
  const busy = await open(location, renewals);
  const idle = await open(location, renewals);
  try {
    written((await busy.writer.group([ofTypes("a")]))[0]);
    const before = busy.storeId;
    await failover.caughtUp(1, 1);
    await pause(6000);
    proxy.isDeaf = true;
    await promoted!.sql("SELECT pg_promote()");
    const endAt = performance.now() + 30_000;
    while (performance.now() < endAt) {
      await Promise.race([
        Promise.allSettled([1, 2, 3].map(() => busy.reads.chunk(page))),
        pause(500),
      ]);
      await pause(100);
    }
    assert.deepEqual(renewals, []);
    assert.deepEqual([busy.storeId, idle.storeId], [before, before]);
  } finally {
    await Promise.race([Promise.all([busy.close(), idle.close()]), pause(3000)]);
  }
});

await failoverTest("a server that stopped just before a failover is not waited for", async (failover) => {
  const [old, promoted] = failover.hosts;
  const location = locationOf(old!.port, promoted!.port);
  const renewals: string[] = [];
  const stays = await open(location, renewals);
  const stops = await open(location, renewals);
  written((await stays.writer.group([ofTypes("a")]))[0]);
  await pause(6000);
  await stops.close();
  await inTime(async () => {
    const [row] = await promoted!.sql(`SELECT count(*) FROM ${schema}.server`);
    assert.equal(numberIn(row![0]), 1);
  });
  await failover.promote(1);
  await inTime(async () => void await stays.reads.chunk(page));
  await stays.close();
  assert.deepEqual(renewals, []);
});

await failoverTest("a role that may only connect cannot cause a new store ID", async (failover) => {
  const [old, promoted] = failover.hosts;
  await old!.sql("CREATE ROLE stranger LOGIN");
  const renewals: string[] = [];
  const store = await open(locationOf(old!.port, promoted!.port), renewals);
  written((await store.writer.group([ofTypes("a")]))[0]);
  await failover.caughtUp(1, 1);
  const stranger = await openPrimary({ address: old!.address("stranger"), schema: "public" }, "setup");
  for (let i = 0; i < 20; i++) {
    await stranger.run([notify(schema, "nobody")]);
    await pause(100);
  }
  await failover.promote(1);
  await stranger.close();
  await inTime(async () => void await store.reads.chunk(page));
  await store.close();
  assert.deepEqual(renewals, []);
});
