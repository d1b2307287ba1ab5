import { type CheckContext, demand, type Figures, limit } from "../report.ts";
import { Random, shuffled } from "../workload/random.ts";
import { databaseDisruptions } from "./database_disruptions.ts";
import { disruptedRounds, SERVERS } from "./rounds.ts";
import { serverDisruptions } from "./server_disruptions.ts";
import { StoreCluster } from "./store_cluster.ts";

/*
 * Clients act on the servers of one store, until one of the servers, PostgreSQL, or a connection between them is
 * disrupted. Then the others continue, the disrupted part comes back, and the whole content of the store is compared
 * with the answers that the clients received.
 */

/** Writes must resume within this time, in milliseconds. */
const GO_ON_MILLISECONDS = 10_000;

export async function postgresKills(context: CheckContext): Promise<Figures> {
  const random = new Random(context.seed);
  await using cluster = await StoreCluster.start(SERVERS[context.edition]);
  // They occur in rotation.
  const disruptions = shuffled([...serverDisruptions(cluster), ...databaseDisruptions(cluster)], random);
  const met: Record<string, number> = {};
  const tally = await disruptedRounds(context, {
    random,
    postgresPort: cluster.postgres.port,
    disruptionOf: (round) => {
      const disruption = disruptions[round % disruptions.length]!;
      met[disruption.name] = (met[disruption.name] ?? 0) + 1;
      return disruption;
    },
    drop: (schema) => cluster.drop(schema),
  });
  demand("postgres_kills", tally.rounds, {
    acknowledged: [tally.acknowledged, tally.rounds * 10],
    rejected: [tally.rejected, tally.rounds],
    "rounds with acts under way": [tally.underWay, tally.rounds / 2],
    "transactions met": [tally.inside, tally.rounds / 2],
  });
  limit("postgres_kills", tally.rounds, {
    "milliseconds until the others went on": [tally.slowestOthers, GO_ON_MILLISECONDS],
    "milliseconds until all went on": [tally.slowestAll, GO_ON_MILLISECONDS],
  });
  return { ...tally, ...met };
}
