import { debianPrograms } from "../../tests/system/support/debian_program.ts";
import { PatroniCluster } from "../../tests/system/postgres/support/patroni_cluster.ts";
import { PATRONI_PROGRAMS } from "../../tests/system/postgres/support/patroni_node.ts";
import { type CheckContext, demand, type Figures, limit } from "../report.ts";
import { Random } from "../workload/random.ts";
import type { Disruption } from "./disruption.ts";
import { untilPromoted } from "./promotion.ts";
import { rolesFor } from "./roles.ts";
import { disruptedRounds, SERVERS } from "./rounds.ts";

/*
 * Clients act on the servers of one store. Its primary has a synchronous standby, managed by Patroni. Then all
 * processes of the primary are killed at once. The standby is promoted, writes continue by themselves, and all
 * acknowledged writes are present. The killed node comes back as the standby for the next round.
 */

/** Writes must resume within this time after Patroni has a new primary, in milliseconds. */
const GO_ON_MILLISECONDS = 3000;

export async function postgresFailover(context: CheckContext): Promise<Figures> {
  await using cluster = await PatroniCluster.start(await debianPrograms(PATRONI_PROGRAMS));
  await (await cluster.complete()).sql(...rolesFor(SERVERS[context.edition]));
  let slowestPatroni = 0;
  const primaryKill: Disruption = {
    name: "primaryKill",
    strike: async () => {
      const killed = await cluster.complete();
      await killed.kill();
      return {
        mend: async () => {
          slowestPatroni = Math.max(slowestPatroni, Math.round(await untilPromoted(cluster)));
        },
        // It becomes a synchronous standby again.
        recover: async () => {
          killed.start();
          await cluster.complete();
        },
      };
    },
  };
  const tally = await disruptedRounds(context, {
    random: new Random(context.seed),
    // As a load balancer that asks Patroni finds it.
    postgresPort: async () => {
      const primary = await cluster.primary();
      if (primary === undefined) throw new Error("there is no primary");
      return primary.postgresPort;
    },
    disruptionOf: () => primaryKill,
    drop: async (schema) => void await (await cluster.complete()).sql(`DROP SCHEMA ${schema} CASCADE`),
  });
  demand("postgres_failover", tally.rounds, {
    acknowledged: [tally.acknowledged, tally.rounds * 10],
    "rounds with acts under way": [tally.underWay, tally.rounds / 2],
  });
  limit("postgres_failover", tally.rounds, {
    "milliseconds until all went on": [tally.slowestAll, GO_ON_MILLISECONDS],
  });
  const { inside: _, slowestOthers: __, ...figures } = tally;
  return { ...figures, slowestPatroni };
}
