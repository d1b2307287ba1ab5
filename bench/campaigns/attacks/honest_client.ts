import type { Address } from "../../connection.ts";
import type { EditionName } from "./attack.ts";
import type { Latency } from "./latencies.ts";

/** The kinds of request that an honest client repeats. `connect` is `/health` on a new connection. */
export type HonestRequest = "health" | "connect" | "read" | "write";

/** The interval between requests. */
export const EVERY_MILLISECONDS = 10;

export interface HonestOrder {
  readonly address: Address;
  readonly edition: EditionName;
  readonly requests: readonly HonestRequest[];
}

export interface HonestReport {
  readonly latencies: Readonly<Partial<Record<HonestRequest, readonly Latency[]>>>;
  /** Descriptions of requests with no answer or a wrong one. */
  readonly failures: readonly string[];
  /** Events that were acknowledged. */
  readonly acknowledged: number;
  /** Events whose write had no answer, so that they may exist or not. */
  readonly unsure: number;
}

/** Honest clients in a thread of their own. So the attacker's work does not disturb their measurements. */
export class HonestClient implements Disposable {
  readonly #worker: Worker;
  readonly #started = Promise.withResolvers<void>();
  readonly #stopped = Promise.withResolvers<HonestReport>();

  private constructor(order: HonestOrder) {
    this.#worker = new Worker(new URL("./honest_worker.ts", import.meta.url), { type: "module" });
    this.#worker.onmessage = ({ data }: MessageEvent<HonestReport | "started">) => {
      if (data === "started") this.#started.resolve();
      else this.#stopped.resolve(data);
    };
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#started.reject(new Error(event.message));
      this.#stopped.reject(new Error(event.message));
    };
    this.#stopped.promise.catch(() => {});
    this.#worker.postMessage(order);
  }

  /** Resolves once every kind of request was answered. */
  static async start(order: HonestOrder): Promise<HonestClient> {
    const client = new HonestClient(order);
    await client.#started.promise;
    return client;
  }

  async stop(): Promise<HonestReport> {
    this.#worker.postMessage("stop");
    return await this.#stopped.promise;
  }

  [Symbol.dispose](): void {
    this.#worker.terminate();
  }
}
