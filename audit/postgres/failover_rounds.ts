import { type CheckContext, demand, type Figures, limit } from "../report.ts";
import { Random } from "../workload/random.ts";
import type { Disruption } from "./disruption.ts";
import { FailoverCluster } from "./failover_cluster.ts";
import { disruptedRounds, SERVERS } from "./rounds.ts";

/*
 * Clients act on the servers of one store. Its primary has a synchronous standby, managed by Patroni. Then all
 * processes of the primary are killed at once. The standby is promoted, writes continue by themselves, and all
 * acknowledged writes are present. The killed node comes back as the standby for the next round.
 */

/** Writes must resume within this time after Patroni has a new primary, in milliseconds. */
const GO_ON_MILLISECONDS = 3000;

export async function postgresFailover(context: CheckContext): Promise<Figures> {
  await using cluster = await FailoverCluster.start(SERVERS[context.edition]);
  let slowestPatroni = 0;
  const primaryKill: Disruption = {
    name: "primaryKill",
    strike: async () => {
      const killed = await cluster.killPrimary();
      return {
        mend: async () => {
          slowestPatroni = Math.max(slowestPatroni, Math.round(await cluster.untilPromoted()));
        },
        recover: () => cluster.bringBack(killed),
      };
    },
  };
  const tally = await disruptedRounds(context, {
    random: new Random(context.seed),
    postgresPort: () => cluster.primaryPort(),
    disruptionOf: () => primaryKill,
    drop: (schema) => cluster.drop(schema),
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
