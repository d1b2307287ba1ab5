import { join } from "node:path";
import type { Client } from "../../tests/support/client.ts";
import { pause } from "../../tests/support/eventually.ts";
import { HistoryRecorder } from "../history/record.ts";
import { databaseDisruptions } from "../postgres/database_disruptions.ts";
import type { Disruption } from "../postgres/disruption.ts";
import { untilServed, within } from "../postgres/going_on.ts";
import { SERVERS } from "../postgres/rounds.ts";
import { serverDisruptions } from "../postgres/server_disruptions.ts";
import { readThrough, serving } from "../postgres/serving.ts";
import { StoreCluster } from "../postgres/store_cluster.ts";
import { type ServerLocation, StoreServer } from "../postgres/store_server.ts";
import { AuditFailure, type CheckContext, demand, type Figures } from "../report.ts";
import { SUBJECT } from "../workload/endings.ts";
import { Random, shuffled } from "../workload/random.ts";
import { forgetSubjects } from "./forgetting_client.ts";
import { countForgets, forgetsIn, type ForgetTally, newForgetTally, repeatForget, settle } from "./settle.ts";

/*
 * The same on PostgreSQL, whose files are its own: clients forget subjects until a server, a connection or PostgreSQL
 * is disrupted. Then the keys and the events agree with the answers.
 */

/** The number of clients of each server. */
const CLIENTS = 2;

/** After this number of rounds a new store is used, so that reading all of it stays quick. */
const ROUNDS_OF_A_STORE = 20;

/** Those at which a request to forget may lose its answer. */
const DISRUPTIONS: ReadonlySet<string> = new Set([
  ...["serverKill", "connectionCut", "connectionsEnded", "sessionKill", "databaseKill"],
]);

/** How often a request to forget is repeated while servers and PostgreSQL recover. */
const REPEATS_MAX = 1000;

/** A round is one disruption. */
export async function postgresForgets(context: CheckContext): Promise<Figures> {
  const random = new Random(context.seed);
  await using cluster = await StoreCluster.start(SERVERS[context.edition]);
  const all = [...serverDisruptions(cluster), ...databaseDisruptions(cluster)];
  const disruptions = shuffled(all.filter(({ name }) => DISRUPTIONS.has(name)), random);
  const tally = newForgetTally();
  while (!context.extent.isOver(tally.rounds)) {
    const schema = `store_${tally.rounds}`;
    const directory = join(context.directory, schema);
    Deno.mkdirSync(directory);
    const place = { edition: context.edition, schema, postgresPort: cluster.postgres.port };
    {
      await using store = await ForgettingStore.start(place, SERVERS[context.edition], directory);
      for (let round = 0; round < ROUNDS_OF_A_STORE && !context.extent.isOver(tally.rounds); round++) {
        await store.round(disruptions[tally.rounds % disruptions.length]!, random.fork(), tally);
      }
    }
    await cluster.drop(schema);
    Deno.removeSync(directory, { recursive: true });
  }
  demand("postgres_forgets", tally.rounds, {
    forgotten: [tally.forgotten, tally.rounds * 2],
    "without an answer": [tally.destroyed + tally.spared, tally.rounds / 20],
  });
  return { ...tally };
}

/** One store and its servers, over many disruptions. */
class ForgettingStore implements AsyncDisposable {
  readonly #place: Omit<ServerLocation, "number">;
  readonly #servers: StoreServer[] = [];
  readonly #recorder: HistoryRecorder;
  /** The writes that show that a disruption is over. */
  readonly #probes: HistoryRecorder;

  private constructor(place: Omit<ServerLocation, "number">, directory: string) {
    this.#place = place;
    this.#recorder = new HistoryRecorder(join(directory, "history.jsonl"), 0);
    this.#probes = new HistoryRecorder(join(directory, "probes.jsonl"), 0);
  }

  static async start(
    place: Omit<ServerLocation, "number">,
    servers: number,
    directory: string,
  ): Promise<ForgettingStore> {
    const store = new ForgettingStore(place, directory);
    try {
      for (let number = 0; number < servers; number++) {
        store.#servers.push(await StoreServer.start({ ...place, number, subjects: SUBJECT }));
      }
      return store;
    } catch (error) {
      await store[Symbol.asyncDispose]();
      throw error;
    }
  }

  async round(disruption: Disruption, random: Random, tally: ForgetTally): Promise<void> {
    const where = `round ${tally.rounds}, ${disruption.name}`;
    const { lastId } = this.#recorder;
    let isOver = false;
    const acting = this.#act(random, () => isOver);
    // Its errors are reported at its end.
    acting.catch(() => {});
    await pause(100 + random.below(300));
    const target = random.pick(this.#servers);
    const struck = await disruption.strike({ servers: this.#servers, target, random: random.fork() });
    await struck.mend?.();
    isOver = true;
    await within(acting, `${where}, a client`);
    const forgets = forgetsIn(this.#recorder).filter(({ id }) => id > lastId);
    const happened = await this.#settle(where);
    countForgets(tally, forgets, happened);
    for (const { client, answer } of forgets) if (answer === undefined) await this.#repeat(client, where);
    await this.#settle(`${where}, after forgetting again`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#servers.map((server) => server[Symbol.asyncDispose]()));
    this.#recorder[Symbol.dispose]();
    this.#probes[Symbol.dispose]();
  }

  get #clients(): Client[] {
    return this.#servers.map(({ client }) => client);
  }

  #act(random: Random, isStopped: () => boolean): Promise<unknown> {
    const { edition } = this.#place;
    const { lastId } = this.#recorder;
    const clients = this.#clients;
    return Promise.all(Array.from({ length: CLIENTS * clients.length }, (_, i) => {
      const forgetting = { edition, random: random.fork(), recorder: this.#recorder, isStopped };
      const first = i % clients.length;
      const preferred = [...clients.slice(first), ...clients.slice(0, first)];
      return forgetSubjects(forgetting, preferred, `${lastId}.${i}`);
    }));
  }

  /**
   * Compares the store with the answers, once every server has written: a transaction that a disruption left open is
   * then over. @returns the acts without an answer that happened
   */
  async #settle(where: string): Promise<ReadonlySet<number>> {
    const { edition } = this.#place;
    const acting = { edition, recorder: this.#probes };
    const groups = edition === "A" ? this.#clients.map((client) => [client]) : [this.#clients];
    for (const clients of groups) await untilServed(acting, clients, "probe", where);
    const { events, faults } = await readThrough(edition, this.#clients, []);
    if (faults.length > 0) throw new AuditFailure(where, faults);
    return settle(this.#recorder, events, where);
  }

  async #repeat(subject: string, where: string): Promise<void> {
    for (let i = 0; i < REPEATS_MAX; i++) {
      const client = await serving(this.#place.edition, this.#clients);
      if (await repeatForget(this.#recorder, client, subject)) return;
      await pause(10);
    }
    throw new AuditFailure(where, [`forgetting ${subject} again was rejected`]);
  }
}
