import assert from "node:assert/strict";
import { rounds } from "../../../support/rounds.ts";
import { pause } from "../../../support/eventually.ts";
import { metrics } from "../../../support/metrics.ts";
import type { ServerProcess } from "../../../support/server_process.ts";
import type { PostgresCluster } from "./cluster.ts";
import { LabelledWrites } from "./labelled_writes.ts";
import { Pair, type PairEdition, standsBy } from "./pair.ts";
import { clusterTest } from "./postgres_test.ts";
import { inTime } from "./in_time.ts";

const ROUNDS = rounds(2, 100);
const CLIENTS = 6;
const WRITES_AROUND = 10;

/** An incident of the active server. Afterwards the other one is active, and this one stands by. */
type Disruption = (active: ServerProcess, takenOver: () => Promise<void>) => Promise<void>;

const DISRUPTIONS: Readonly<Record<string, Disruption>> = {
  async "stop"(active, takenOver) {
    await Promise.all([active.stop(), takenOver()]);
    await active.start();
  },
  async "kill -9"(active, takenOver) {
    await Promise.all([active.kill(), takenOver()]);
    await active.start();
  },
  async "SIGSTOP"(active, takenOver) {
    active.signal("SIGSTOP");
    await takenOver();
    active.signal("SIGCONT");
    await standsBy(active);
  },
};

/** Waits until some more writes were acknowledged. */
async function more(writes: LabelledWrites): Promise<void> {
  const enough = writes.acknowledged + WRITES_AROUND;
  await inTime(() => assert.ok(writes.acknowledged >= enough));
}

async function assertAnswered(
  writes: LabelledWrites,
  pair: Pair,
  edition: PairEdition,
  terms: () => Promise<number>,
): Promise<void> {
  await writes.end();
  await pair.settled();
  const events = await pair.active.client().allEvents(edition === "B" ? "all" : "*");
  writes.assertAnswered(events, await terms());
}

/** Registers the tests of takeovers under load. Each edition has a file, since they take minutes. */
export async function takeoverTests(edition: PairEdition): Promise<void> {
  for (const [name, disrupt] of Object.entries(DISRUPTIONS)) {
    await clusterTest(
      `edition ${edition}: takeovers by ${name} under load: nothing acknowledged is lost, and one server writes`,
      async (cluster) => {
        await using pair = await Pair.start(cluster, edition);
        const servers = [...pair.servers];
        const writes = new LabelledWrites(edition, servers, CLIENTS);
        for (let round = 0; round < ROUNDS; round++) {
          await more(writes);
          const began = performance.now();
          const next = servers.indexOf(pair.standby);
          await disrupt(pair.active, async () => {
            await pair.tookOver();
            await inTime(() => assert.ok(writes.acknowledgedAt[next]! > began));
          });
        }
        await more(writes);
        await assertAnswered(writes, pair, edition, () => Promise.resolve(ROUNDS + 1));
      },
    );
  }

  await clusterTest(
    `edition ${edition}: whenever sessions are ended under load, nothing acknowledged is lost, and one server writes`,
    async (cluster) => {
      await using pair = await Pair.start(cluster, edition);
      const writes = new LabelledWrites(edition, pair.servers, CLIENTS);
      for (let round = 0; round < ROUNDS; round++) {
        await more(writes);
        await endHolder(cluster);
        await pause(7 * (round % 10));
      }
      await more(writes);
      await assertAnswered(writes, pair, edition, async () => {
        const [first = 0, second = 0] = await Promise.all(pair.servers.map(activations));
        return first + second;
      });
    },
  );
}

/** Ends the session of whichever server is active. */
async function endHolder(cluster: PostgresCluster): Promise<void> {
  await cluster.sql(
    `DO $$ DECLARE place text; pid integer; BEGIN
      FOR place IN SELECT nspname FROM pg_namespace WHERE nspname LIKE 'pair_%' LOOP
        EXECUTE format('SELECT s.pid FROM %I.server s JOIN %I.store ON store.server = s.name', place, place) INTO pid;
        PERFORM pg_terminate_backend(pid);
      END LOOP; END $$`,
  );
}

async function activations(server: ServerProcess): Promise<number> {
  const samples = await metrics(server.client());
  return [...samples].find(([name]) => name.startsWith("service_activations_total{"))![1];
}
