import { delay } from "../src/async/delay.ts";
import process from "node:process";
import { Histogram } from "./histogram.ts";
import { cpuSecondsOf, rssBytesOf } from "./process_usage.ts";

/** The result of a workload or a baseline. */
export interface Measured {
  readonly eventsPerSecond: number;
  readonly requestsPerSecond: number;
  readonly p50Milliseconds: number;
  readonly p99Milliseconds: number;
  readonly p999Milliseconds: number;
  /** CPU time of all threads of the server for each request. */
  readonly serverMicroseconds?: number;
  /** CPU time of this process for each request, which reduces the server's share of the machine. */
  readonly clientMicroseconds?: number;
  /** Resident memory of the server at the end of the round in which it was largest. */
  readonly serverRssBytes?: number;
  /** Only for decisions: those whose write was in conflict, after which they were repeated. */
  readonly conflictsPerSecond?: number;
}

/** How long one round takes. */
export interface Timing {
  readonly warmUpSeconds: number;
  readonly seconds: number;
  /** The process ID of the server, to measure its CPU time and memory, too. */
  readonly server?: number;
}

/** One round: every request that ended within its time. */
export interface Round {
  readonly seconds: number;
  readonly events: number;
  readonly latencies: Histogram;
  readonly usage?: Usage;
  readonly conflicts?: number;
}

/** The CPU time and memory of a round. */
export interface Usage {
  readonly serverCpuSeconds: number;
  readonly clientCpuSeconds: number;
  readonly serverRssBytes: number;
}

/** One request, or one step of a loop, from its start to its checked end. Returns the events in it. */
export type Step<T = number | Promise<number>> = () => T;

/** Steps that ended within the measured time. */
class Tally {
  readonly #from: number;
  readonly #to: number;
  readonly #latencies = new Histogram();
  #events = 0;

  constructor({ warmUpSeconds, seconds }: Timing) {
    this.#from = performance.now() + warmUpSeconds * 1000;
    this.#to = this.#from + seconds * 1000;
  }

  get over(): boolean {
    return performance.now() >= this.#to;
  }

  count(startedAt: number, events: number): void {
    const endedAt = performance.now();
    if (endedAt < this.#from || endedAt >= this.#to) return;
    this.#latencies.add(endedAt - startedAt);
    this.#events += events;
  }

  get round(): Round {
    return { seconds: (this.#to - this.#from) / 1000, events: this.#events, latencies: this.#latencies };
  }
}

/** Lets every client send one request after the other, all clients at once. */
export async function measureClients(clients: readonly Step[], timing: Timing): Promise<Round> {
  const tally = new Tally(timing);
  const [usage] = await Promise.all([
    usageDuring(timing),
    ...clients.map(async (request) => {
      while (!tally.over) {
        const startedAt = performance.now();
        tally.count(startedAt, await request());
      }
    }),
  ]);
  return { ...tally.round, ...usage === undefined ? {} : { usage } };
}

const LOOP_MILLISECONDS = 100;

/** Runs steps of this process back to back. It pauses from time to time, so that Ctrl-C has an effect. */
export async function measureLoop(step: Step<number>, timing: Timing): Promise<Round> {
  const tally = new Tally(timing);
  while (!tally.over) {
    const pauseAt = performance.now() + LOOP_MILLISECONDS;
    while (performance.now() < pauseAt) {
      const startedAt = performance.now();
      tally.count(startedAt, step());
    }
    await delay(0);
  }
  return tally.round;
}

/** Reads the usage of the processes when the measured time begins and when it ends. */
async function usageDuring({ warmUpSeconds, seconds, server }: Timing): Promise<Usage | undefined> {
  if (server === undefined) return undefined;
  await pause(warmUpSeconds);
  const [startedAt, serverBefore, clientBefore] = [performance.now(), cpuSecondsOf(server), ownCpuSeconds()];
  await pause(seconds);
  const [serverAfter, serverRssBytes] = [cpuSecondsOf(server), rssBytesOf(server)];
  if (serverBefore === undefined || serverAfter === undefined || serverRssBytes === undefined) {
    return undefined;
  }
  // The timer fires late in a busy loop.
  const share = seconds / ((performance.now() - startedAt) / 1000);
  return {
    serverCpuSeconds: (serverAfter - serverBefore) * share,
    clientCpuSeconds: (ownCpuSeconds() - clientBefore) * share,
    serverRssBytes,
  };
}

function ownCpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function pause(seconds: number): Promise<void> {
  return delay(seconds * 1000);
}

/** The result of all rounds of one row. */
export function measuredOver(rounds: readonly Round[]): Measured {
  const sum = (of: (round: Round) => number): number => rounds.reduce((total, round) => total + of(round), 0);
  const seconds = sum((round) => round.seconds);
  const latencies = new Histogram();
  for (const round of rounds) latencies.addAll(round.latencies);
  const conflicts = rounds.flatMap((round) => round.conflicts ?? []);
  return {
    eventsPerSecond: sum((round) => round.events) / seconds,
    requestsPerSecond: latencies.total / seconds,
    p50Milliseconds: latencies.quantile(0.5),
    p99Milliseconds: latencies.quantile(0.99),
    p999Milliseconds: latencies.quantile(0.999),
    ...usagePerRequest(rounds, latencies.total),
    ...conflicts.length === 0 ? {} : { conflictsPerSecond: conflicts.reduce((a, b) => a + b) / seconds },
  };
}

type UsagePerRequest = Pick<Measured, "serverMicroseconds" | "clientMicroseconds" | "serverRssBytes">;

function usagePerRequest(rounds: readonly Round[], requests: number): UsagePerRequest {
  const usages = rounds.flatMap(({ usage }) => usage ?? []);
  if (usages.length === 0 || usages.length < rounds.length || requests === 0) return {};
  const perRequest = (of: (usage: Usage) => number): number =>
    usages.reduce((total, usage) => total + of(usage), 0) / requests * 1e6;
  return {
    serverMicroseconds: perRequest(({ serverCpuSeconds }) => serverCpuSeconds),
    clientMicroseconds: perRequest(({ clientCpuSeconds }) => clientCpuSeconds),
    serverRssBytes: Math.max(...usages.map(({ serverRssBytes }) => serverRssBytes)),
  };
}
