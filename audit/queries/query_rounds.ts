import type { ReadRequest } from "../../src/model/read_request.ts";
import { Session } from "../../tests/editions/b_tx/session.ts";
import { type ServerProcess, startServer } from "../../tests/support/server_process.ts";
import { AuditFailure, type CheckContext, demand, type Figures } from "../report.ts";
import type { EditionName } from "../../src/config/setting.ts";
import { Random } from "../workload/random.ts";
import { append, wayOf } from "./asking.ts";
import { drawQueries, drawRead, LIMIT_MAX } from "./draw_read.ts";
import { Population } from "./population.ts";

/*
 * A store grows while it is queried. Every answer must be the one that the rule of queries gives for all events, one by
 * one. The server answers with its index; the rule is `matches` of src/model/query.ts.
 */

/** The number of events in the store per completed round: a million at the end of a full run. */
const EVENTS_OF_A_ROUND = 10;

/** The store stays the same for this number of rounds. */
const ROUNDS_OF_A_SIZE = 25;

/** Edition C accepts no more at once. */
const EVENTS_OF_A_CALL = 100;

/** A round is one query. */
export async function queryRounds({ edition, seed, extent, directory }: CheckContext): Promise<Figures> {
  const random = new Random(seed);
  const population = new Population(random.fork());
  const tally = { rounds: 0, events: 0, found: 0, more: 0, pages: 0, inside: 0, conditions: 0, restarts: 0 };
  await using server = await startServer(options(directory, edition));
  for (let doubled = ROUNDS_OF_A_SIZE * EVENTS_OF_A_ROUND; !extent.isOver(tally.rounds);) {
    using session = await Session.open(server.client());
    await growTo(tally.rounds * EVENTS_OF_A_ROUND, edition, session, population);
    const drawn = drawQueries(population, random, ROUNDS_OF_A_SIZE);
    for (const query of drawn) {
      if (extent.isOver(tally.rounds)) break;
      const read = drawRead(query, population, random, edition === "C");
      const [name, way] = wayOf(edition, population, read, random.below(1000) / 1000);
      const differs = async (read: ReadRequest) =>
        await way.ask(session, read) !== way.expect(population, read);
      if (await differs(read)) {
        const simplest = await simplified(read, differs);
        throw new AuditFailure(`round ${tally.rounds}, ${name} of a store of ${population.head} events`, [
          JSON.stringify(simplest),
          `answered: ${(await way.ask(session, simplest)).slice(0, 500)}`,
          `the rule: ${way.expect(population, simplest).slice(0, 500)}`,
        ]);
      }
      tally[name as "pages" | "inside" | "conditions"]++;
      const { sequences, hasMore } = population.page(read);
      tally.found += Number(sequences.length > 0);
      tally.more += Number(hasMore);
      tally.rounds++;
    }
    if (population.head < doubled) continue;
    // Content that was in memory is read from the disk again, and from now on there are other events.
    await restart(server, random.chance(0.5));
    population.renew();
    doubled *= 2;
    tally.restarts++;
  }
  tally.events = population.head;
  demand("queries", tally.rounds, {
    "queries that find something": [tally.found, 0.3 * tally.rounds],
    "pages that are not the last": [tally.more, tally.rounds / 20],
    "conditions and reads in transactions": [tally.conditions + tally.inside, tally.rounds / 10],
  });
  return tally;
}

function options(directory: string, edition: EditionName) {
  return {
    directory,
    listen: "unix",
    listenOnly: true,
    env: {
      SERVICE_EDITION: edition,
      SERVICE_MAX_EVENTS_PER_PAGE: String(LIMIT_MAX),
      SERVICE_DEFAULT_EVENTS_PER_PAGE: String(LIMIT_MAX),
      // A busy machine must not end the transaction of the only client.
      SERVICE_TRANSACTION_TIMEOUT: "600",
      SERVICE_MAX_TRANSACTION_DURATION: "600",
      SERVICE_TX_IDLE_TIMEOUT: "600",
    },
  } as const;
}

async function growTo(
  events: number,
  edition: EditionName,
  session: Session,
  population: Population,
): Promise<void> {
  while (population.head < events) {
    const count = Math.min(EVENTS_OF_A_CALL, events - population.head);
    const kinds = Array.from({ length: count }, () => population.drawKind());
    const times = await append(edition, session, population, kinds);
    for (const [i, kind] of kinds.entries()) population.add(kind, times[i]!);
  }
}

async function restart(server: ServerProcess, isKilled: boolean): Promise<void> {
  if (!isKilled) return await server.restart();
  await server.kill();
  await server.start();
}

/** The read without the items and bounds that do not affect the difference. */
async function simplified(
  read: ReadRequest,
  differs: (read: ReadRequest) => Promise<boolean>,
): Promise<ReadRequest> {
  for (const bound of ["time", "beforeSequence", "backwards"] as const) {
    const { [bound]: _, ...without } = read;
    if (await differs(without)) read = without;
  }
  for (let i = 0; typeof read.query !== "string" && read.query.length > 1 && i < read.query.length;) {
    const without = { ...read, query: read.query.toSpliced(i, 1) };
    if (await differs(without)) read = without;
    else i++;
  }
  return read;
}
