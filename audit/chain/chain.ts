import { join } from "node:path";
import { pause } from "../../tests/support/eventually.ts";
import { AuditFailure } from "../report.ts";
import type { EditionName } from "../../src/config/setting.ts";
import type { Random } from "../workload/random.ts";
import { Balancer } from "./balancer.ts";
import {
  append,
  ChainClient,
  type Doing,
  HALLS,
  type Load,
  read,
  type Store,
  writeUnderKey,
} from "./clients.ts";
import { decideSeats, transactSeats } from "./deciding.ts";
import type { Follower, Settled } from "./evidence.ts";
import { follow, project } from "./following.ts";
import { HistoryLines } from "./history_lines.ts";
import { Histories, Observations } from "./observations.ts";
import { MARK, SeenEvents } from "./observed.ts";
import type { ChainPlan } from "./plan.ts";
import { type ChainServer, startServers } from "./servers.ts";
import { readSettled } from "./settled.ts";
import type { Failing } from "./streaming_failover.ts";

/** Each run has its own schema name: a server left over from an ended run may find hosts at the ports that it knows. */
export const SCHEMA = `chain_${crypto.randomUUID().slice(0, 8)}`;

/** The activities of the clients. Each client repeats one of them all the time. */
const DOINGS: Readonly<Record<EditionName, readonly Doing[]>> = {
  A: [...Array.from({ length: 6 }, () => decideSeats), writeUnderKey, writeUnderKey, append, read, read],
  B: [...Array.from({ length: 7 }, () => transactSeats), read, read],
  C: [...Array.from({ length: 7 }, () => transactSeats), read, read],
};

const SHOWS = 4;

/** The time limit for the decisions of the clients. */
const DECISION_MILLISECONDS = 5000;

export interface ChainOptions {
  readonly edition: EditionName;
  readonly plan: ChainPlan;
  readonly random: Random;
  readonly hosts: Failing;
  readonly directory: string;
  /** The number of the chain in the run. */
  readonly number: number;
}

/** Clients, the proxy before the servers, the servers, and the hosts behind them. */
export class Chain implements AsyncDisposable {
  readonly plan: ChainPlan;
  readonly hosts: Failing;
  readonly servers: readonly ChainServer[];
  readonly balancer: Balancer;
  readonly followers: readonly Follower[];
  readonly lines: HistoryLines | undefined;
  observations: Observations;
  before!: Settled;
  readonly #clients: readonly ChainClient[];
  readonly #doings: readonly Doing[];
  readonly #end = new AbortController();
  #rounds = 0;

  private constructor(options: ChainOptions, servers: readonly ChainServer[]) {
    const { edition, plan, random, hosts, directory, number } = options;
    this.plan = plan;
    this.hosts = hosts;
    this.servers = servers;
    this.#doings = DOINGS[edition];
    this.observations = new Observations(new SeenEvents(), new Histories());
    const readsReplicas = plan.servers.some(({ read }) => read !== undefined);
    const path = join(directory, `history_${number}.jsonl`);
    this.lines = edition === "A" ? new HistoryLines(path, readsReplicas) : undefined;
    this.balancer = new Balancer({
      servers: () => servers.flatMap(({ running }) => running === undefined ? [] : [running.address]),
      balancing: plan.balancing,
      faultRate: plan.faultRate,
      random: random.fork(),
    });
    let clients = 0;
    const client = (): ChainClient =>
      new ChainClient({
        edition,
        url: this.balancer.url,
        number: clients++,
        random: random.fork(),
        lines: this.lines,
        observations: () => this.observations,
      });
    this.#clients = this.#doings.map(client);
    const followed = { signal: this.#end.signal, observations: () => this.observations };
    this.followers = [
      follow({ client: client(), topic: undefined, restartsItself: true, ...followed }),
      follow({
        client: client(),
        topic: { name: "hall", value: HALLS[0] },
        restartsItself: false,
        ...followed,
      }),
    ];
    if (edition !== "A") return;
    for (const hall of [HALLS[0], HALLS[0], HALLS[1]]) {
      project(client(), hall, followed.signal, followed.observations);
    }
  }

  static async start(options: ChainOptions): Promise<Chain> {
    const { edition, plan, hosts, directory } = options;
    const failover = plan.isLossless ? "lossless" as const : "verify" as const;
    const place = { edition, ports: hosts.ports, schema: SCHEMA, failover };
    const servers = await startServers(directory, plan.servers, place);
    const chain = new Chain(options, servers);
    try {
      chain.balancer.isFaulty = false;
      await fillStore(edition, chain.#clients[0]!.store);
      await hosts.settle();
      chain.before = await readSettled(servers, edition, chain.observations);
      chain.balancer.isFaulty = true;
      return chain;
    } catch (error) {
      await chain[Symbol.asyncDispose]();
      throw error;
    }
  }

  get readsReplicas(): boolean {
    return this.plan.servers.some(({ read }) => read !== undefined);
  }

  /** Starts a new round: drops the observations of the last one, except the events that readers saw. */
  beginRound(): void {
    const { seen, histories } = this.observations;
    this.observations = new Observations(seen, histories);
    this.#rounds++;
  }

  /** Lets all clients act. @returns a function that ends this after their last calls */
  load(): () => Promise<void> {
    let isOver = false;
    const shows = Array.from({ length: SHOWS }, (_, i) => `round${this.#rounds}.${i}`);
    const load: Load = { observations: this.observations, shows, isOver: () => isOver };
    const acting = Promise.all(this.#clients.map(async (client, i) => {
      while (!isOver) {
        await this.#doings[i]!(client, load);
        await pause(client.random.below(8));
      }
    }));
    acting.catch(() => {});
    return async () => {
      isOver = true;
      await acting;
    };
  }

  /** Waits until clients have taken this number of further decisions, or until their time is over. */
  async untilDecided(more: number): Promise<void> {
    const endsAt = performance.now() + DECISION_MILLISECONDS;
    const wanted = this.observations.decisions + more;
    while (this.observations.decisions < wanted && performance.now() < endsAt) await pause(10);
  }

  /** Waits until followers and projectors have received all events. @throws AuditFailure */
  async untilFollowed({ storeId, events }: Settled, seconds: number): Promise<void> {
    const endsAt = performance.now() + seconds * 1000;
    const isBehind = ({ segments }: Follower): boolean => {
      const last = segments.at(-1);
      return last?.storeId !== storeId || last.sequence < events.length;
    };
    while (this.followers.some(isBehind) && performance.now() < endsAt) await pause(20);
    const late = this.followers.filter(isBehind).map(({ name, segments }) => {
      const last = segments.at(-1);
      return `${name} is at ${last?.sequence} of store ${last?.storeId}, the head is ${events.length} of ${storeId}`;
    });
    if (late.length > 0) throw new AuditFailure(`followers after ${seconds} s of quiet`, late);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await this.balancer[Symbol.asyncDispose]();
    await Promise.all(this.servers.map((server) => server[Symbol.asyncDispose]()));
    this.lines?.[Symbol.dispose]();
  }
}

/** Enough events for a page of all events to be sent in several parts. */
const WRITES = 25;
const EVENTS_OF_A_WRITE = 100;

/** Fills a new store with events that no decision depends on. */
async function fillStore(edition: EditionName, store: Store): Promise<void> {
  const text = "x".repeat(150);
  for (let write = 0; write < WRITES; write++) {
    const events = Array.from({ length: EVENTS_OF_A_WRITE }, (_, part) => ({
      type: "Filled" as const,
      identifiers: { fill: `f${part % 10}` },
      metadata: { [MARK]: `fill${write}/${part}` },
      payload: { text },
    }));
    if (edition === "A") await store.append(events);
    else await store.transaction((tx) => tx.append(events));
  }
}
