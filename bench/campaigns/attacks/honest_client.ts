import type { Address } from "../../connection.ts";
import type { EditionName } from "./attack.ts";
import type { Latency } from "./latencies.ts";

/** What an honest client asks for, again and again. `connect` is `/health` on a connection of its own. */
export type HonestRequest = "health" | "connect" | "read" | "write";

/** How often it asks. */
export const EVERY_MILLISECONDS = 10;

export interface HonestOrder {
  readonly address: Address;
  readonly edition: EditionName;
  readonly requests: readonly HonestRequest[];
}

export interface HonestReport {
  readonly latencies: Readonly<Partial<Record<HonestRequest, readonly Latency[]>>>;
  /** Requests that got no answer or a wrong one, in words. */
  readonly failures: readonly string[];
  /** Events that were acknowledged. */
  readonly acknowledged: number;
  /** Events that may have been written, but nobody said so. */
  readonly unsure: number;
}

/** Honest clients in a thread of their own, so that what the attacker does does not blur their clocks. */
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
