import { join } from "node:path";
import type { CheckContext } from "../report.ts";
import type { Random } from "../workload/random.ts";
import { DisruptedStore } from "./disrupted_store.ts";
import type { Disruption } from "./disruption.ts";
import type { ServerLocation } from "./store_server.ts";
import { newTally, type Tally } from "./tally.ts";

/** The number of servers of a store. */
export const SERVERS: Readonly<Record<CheckContext["edition"], number>> = { A: 3, B: 2, C: 2 };

/** After this number of rounds a new store is used, so that reading all of it stays quick. */
const ROUNDS_OF_A_STORE = 20;

export interface RoundsOptions {
  readonly random: Random;
  readonly postgresPort: ServerLocation["postgresPort"];
  readonly disruptionOf: (round: number) => Disruption;
  /** Removes the tables of a store that is no longer used. */
  readonly drop: (schema: string) => Promise<void>;
}

/**
 * Disrupts stores, one after the other. After each round it compares their content with the answers that the clients
 * received.
 */
export async function disruptedRounds(
  { edition, extent, directory: parent }: CheckContext,
  { random, postgresPort, disruptionOf, drop }: RoundsOptions,
): Promise<Tally> {
  const tally = newTally();
  while (!extent.isOver(tally.rounds)) {
    const schema = `store_${tally.rounds}`;
    const directory = join(parent, schema);
    Deno.mkdirSync(directory);
    const place = { edition, schema, postgresPort };
    {
      await using store = await DisruptedStore.start(place, SERVERS[edition], directory);
      for (let round = 0; round < ROUNDS_OF_A_STORE && !extent.isOver(tally.rounds); round++) {
        await store.round(disruptionOf(tally.rounds), random.fork(), tally);
      }
      await store.stop();
    }
    await drop(schema);
    Deno.removeSync(directory, { recursive: true });
  }
  return tally;
}
