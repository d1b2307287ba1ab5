import { openPrimary } from "../../src/store/postgres/connection/open_session.ts";
import { numberIn } from "../../src/store/postgres/protocol/cells.ts";
import type { Session } from "../../src/store/postgres/protocol/session.ts";
import { pause } from "../../tests/support/eventually.ts";
import type { SmallDisk } from "../../tests/system/support/small_disk.ts";
import type { Disruption, Scene, Struck } from "./disruption.ts";
import type { StoreCluster } from "./store_cluster.ts";

/** How long other programs occupy all connections. */
const CROWDED_MILLISECONDS = 1500;

/** The longest time that a disk stays full. */
const FULL_MILLISECONDS = 2000;

/** The role of the programs that use up the connections. */
const CROWD = "eventstore_crowd";

/** Disruptions of PostgreSQL, which affect all servers. */
export function databaseDisruptions(cluster: StoreCluster): readonly Disruption[] {
  const { disk } = cluster;
  return [
    { name: "databaseKill", strike: () => databaseKill(cluster) },
    { name: "sessionKill", strike: (scene) => sessionKill(cluster, scene) },
    { name: "tooManyConnections", strike: (scene) => tooManyConnections(cluster, scene) },
    ...disk === undefined
      ? []
      : [{ name: "fullDisk", strike: (scene: Scene) => fullDisk(cluster, disk, scene), mayFail: true }],
  ];
}

/** PostgreSQL is killed (SIGKILL) and started again: it recovers from its log. */
async function databaseKill(cluster: StoreCluster): Promise<Struck> {
  await cluster.postgres.end("SIGKILL");
  return { mend: () => cluster.runAgain() };
}

/** The process of one connection is killed (SIGKILL). PostgreSQL ends all others, and recovers by itself. */
async function sessionKill(cluster: StoreCluster, { target, random }: Scene): Promise<Struck> {
  const rows = await cluster.postgres.sql(
    `SELECT pid, (xact_start IS NOT NULL)::integer FROM pg_stat_activity WHERE usename = '${target.role}'
     ORDER BY xact_start NULLS LAST`,
  );
  // Prefers a connection in a transaction, if there is one.
  const row = rows[random.chance(0.7) ? 0 : random.below(rows.length)];
  if (row !== undefined) killProcess(numberIn(row[0]));
  const inside = row === undefined ? 0 : numberIn(row[1]);
  return { inside, mend: () => cluster.runAgain() };
}

/** Another program takes all connections, and the servers have lost theirs. */
async function tooManyConnections(cluster: StoreCluster, { servers }: Scene): Promise<Struck> {
  const { postgres } = cluster;
  await postgres.sql(
    `DO $$ BEGIN CREATE ROLE ${CROWD} LOGIN; EXCEPTION WHEN duplicate_object THEN END $$`,
  );
  const sessions: Session[] = [];
  let isOver = false;
  const crowd = (async () => {
    while (!isOver) {
      try {
        sessions.push(await openPrimary({ address: postgres.address(CROWD), schema: "public" }, "setup"));
      } catch {
        await pause(1);
      }
    }
  })();
  const roles = servers.map(({ role }) => `'${role}'`).join();
  const endsAt = performance.now() + CROWDED_MILLISECONDS;
  while (performance.now() < endsAt) {
    await postgres.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename IN (${roles})`);
    await pause(100);
  }
  return {
    mend: async () => {
      isOver = true;
      await crowd;
      await Promise.all(sessions.map((session) => session.close()));
    },
  };
}

/** The disk of PostgreSQL is full, for its tables or for its log, and PostgreSQL may end. Then space is freed. */
async function fullDisk(cluster: StoreCluster, disk: SmallDisk, { random }: Scene): Promise<Struck> {
  disk.fill(0);
  await pause(random.below(FULL_MILLISECONDS));
  return {
    mend: async () => {
      disk.free();
      await cluster.runAgain();
    },
  };
}

function killProcess(pid: number): void {
  try {
    Deno.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}
