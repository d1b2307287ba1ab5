import { join } from "node:path";
import { AuditFailure, type CheckContext, demand, type Figures, limit } from "../report.ts";
import { Random } from "../workload/random.ts";
import { LinearizabilityChecker } from "../linearizability/checker.ts";
import { Chain, SCHEMA } from "./chain.ts";
import { GO_ON_SECONDS } from "./going_on.ts";
import { HTTP_FAULTS } from "./http_faults.ts";
import { planChain, planRound } from "./plan.ts";
import { PatroniFailover } from "./patroni_failover.ts";
import { runRound } from "./round.ts";
import { StreamingFailover } from "./streaming_failover.ts";
import { addRound, newTally, type Tally } from "./tally.ts";

/*
 * The whole chain: clients of the library, a proxy, two or three servers, and three PostgreSQL hosts, one of them the
 * primary. The proxy loses answers and sends answers of its own. In each round the primary fails and another host takes
 * over, with or without loss. Then all answers that clients received are compared with the histories of all stores.
 */

/** After this number of failovers a new chain starts, with other settings and a new store. */
const ROUNDS_OF_A_CHAIN = 6;

export async function chainRounds({ edition, seed, extent, directory }: CheckContext): Promise<Figures> {
  const all = new Random(seed);
  const tally = newTally();
  // Porcupine checks histories of single writes and reads, as edition A has them.
  using checker = edition === "A" ? await LinearizabilityChecker.build() : undefined;
  for (let number = 0; !extent.isOver(tally.failovers); number++) {
    const own = all.fork();
    const plan = planChain(own, edition, number);
    const place = join(directory, `chain_${number}`);
    Deno.mkdirSync(place);
    const where = `chain ${number} of ${JSON.stringify(plan)}`;
    const random = own.fork();
    await using hosts = plan.isPatroni
      ? await PatroniFailover.start()
      : await StreamingFailover.start(SCHEMA, random, plan);
    const options = { edition, plan, random: own.fork(), hosts, directory: place, number };
    await using chain = await Chain.start(options);
    for (let round = 0; round < ROUNDS_OF_A_CHAIN && !extent.isOver(tally.failovers); round++) {
      const roundPlan = planRound(own, plan);
      try {
        addRound(tally, await runRound(edition, chain, roundPlan, own.fork()));
      } catch (error) {
        if (!(error instanceof AuditFailure)) throw error;
        throw new AuditFailure(where, [`round ${round}: ${JSON.stringify(roundPlan)}`, error.message]);
      }
    }
    addProxy(tally, chain);
    if (checker !== undefined) tally.ordered += await orderedBy(checker, chain.lines!.path, where);
  }
  demand("chain", tally.failovers, {
    lossy: [tally.lossy, tally.failovers * 0.15],
    decisions: [tally.decisions, tally.failovers * (edition === "A" ? 84 : 40)],
    pages: [tally.pages, tally.failovers * 40],
    "pages in several parts": [tally.largePages, tally.failovers],
    "answers lost or replaced": [tally.httpFaults, tally.failovers],
    "resets told": [tally.resetsTold, tally.lossy],
    "operations in order": [tally.ordered, edition === "A" ? tally.failovers * 150 : 0],
  });
  limit("chain", tally.failovers, {
    "milliseconds until all went on": [tally.slowestGoOn, GO_ON_SECONDS * 1000],
  });
  return { ...tally };
}

function addProxy(tally: Tally, { balancer }: Chain): void {
  for (const fault of HTTP_FAULTS) tally.httpFaults += balancer.faults[fault];
}

/** @returns the number of operations that Porcupine has put in an order @throws AuditFailure when no order exists */
async function orderedBy(checker: LinearizabilityChecker, path: string, where: string): Promise<number> {
  const { verdict, operations, account } = await checker.checkFile(path);
  if (verdict === "linearizable") return operations;
  throw new AuditFailure(where, [`Porcupine: ${verdict}`, ...account]);
}
