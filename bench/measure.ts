/** The result of a workload or a yardstick. */
export interface Measured {
  readonly eventsPerSecond: number;
  readonly requestsPerSecond: number;
  readonly p50Milliseconds: number;
  readonly p99Milliseconds: number;
}

/** How long one round takes. */
export interface Timing {
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

/** One round: every request that ended within its time. */
export interface Round {
  readonly seconds: number;
  readonly events: number;
  readonly latenciesMilliseconds: readonly number[];
}

/** One request, or one step of a loop, from its start to its checked end. Returns the events in it. */
export type Step<T = number | Promise<number>> = () => T;

/** Steps that ended within the measured time. */
class Tally {
  readonly #from: number;
  readonly #to: number;
  readonly #latencies: number[] = [];
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
    this.#latencies.push(endedAt - startedAt);
    this.#events += events;
  }

  get round(): Round {
    const seconds = (this.#to - this.#from) / 1000;
    return { seconds, events: this.#events, latenciesMilliseconds: this.#latencies };
  }
}

/** Lets every client send one request after the other, all clients at once. */
export async function measureClients(clients: readonly Step[], timing: Timing): Promise<Round> {
  const tally = new Tally(timing);
  await Promise.all(clients.map(async (request) => {
    while (!tally.over) {
      const startedAt = performance.now();
      tally.count(startedAt, await request());
    }
  }));
  return tally.round;
}

const LOOP_MILLISECONDS = 100;

/** Runs steps of this process back to back, with a pause from time to time in which Ctrl-C is noticed. */
export async function measureLoop(step: Step<number>, timing: Timing): Promise<Round> {
  const tally = new Tally(timing);
  while (!tally.over) {
    const pauseAt = performance.now() + LOOP_MILLISECONDS;
    while (performance.now() < pauseAt) {
      const startedAt = performance.now();
      tally.count(startedAt, step());
    }
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  return tally.round;
}

/** The result of all rounds of one row. */
export function measuredOver(rounds: readonly Round[]): Measured {
  const seconds = rounds.reduce((sum, round) => sum + round.seconds, 0);
  const events = rounds.reduce((sum, round) => sum + round.events, 0);
  const latencies = Float64Array.from(rounds.flatMap((round) => round.latenciesMilliseconds)).sort();
  return {
    eventsPerSecond: events / seconds,
    requestsPerSecond: latencies.length / seconds,
    p50Milliseconds: quantile(latencies, 0.5),
    p99Milliseconds: quantile(latencies, 0.99),
  };
}

/** The smallest value that is at least as large as this share of all; NaN of none. */
function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN;
}
