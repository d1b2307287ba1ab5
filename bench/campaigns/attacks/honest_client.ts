import type { HonestOrder, HonestReport } from "./honest_order.ts";

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
