import { type ApiError, ClientDisconnected, type NoReply } from "../model/errors.ts";
import type { Client } from "../store/api/store.ts";
import type { Age } from "../time/clock.ts";

interface PreCheck extends PromiseWithResolvers<unknown> {
  readonly kind: string;
  readonly run: (client: Client) => Promise<unknown>;
  readonly age: Age;
  /** Aborts when no client waits for it any more. */
  readonly leaving: AbortController;
  readonly client: AbortSignal | undefined;
  readonly onLeave: () => void;
}

/** Runs the pre-checks of requests before their turns: one at a time, in the order in which they came. */
export class PreCheckQueue {
  /** The pre-checks that requests wait for, including the running one. */
  #jobs: PreCheck[] = [];
  #isRunning = false;

  get count(): number {
    return this.#jobs.length;
  }

  get jobs(): readonly { readonly kind: string; readonly age: Age }[] {
    return this.#jobs;
  }

  /** @param run gets a client that disconnects with this one, or when the pre-check is rejected later */
  add<T>(
    kind: string,
    run: (client: Client) => Promise<T>,
    client: AbortSignal | undefined,
    age: Age,
  ): Promise<T> {
    const onLeave = (): void => this.#end(job, new ClientDisconnected());
    const leaving = new AbortController();
    const job = { kind, run, age, leaving, client, onLeave, ...Promise.withResolvers<unknown>() };
    client?.addEventListener("abort", onLeave, { once: true });
    this.#jobs.push(job);
    this.#next();
    return job.promise as Promise<T>;
  }

  /** Rejects all pre-checks. */
  reject(rejection: ApiError): void {
    for (const job of this.#jobs) this.#end(job, rejection);
  }

  #end(job: PreCheck, reason: ApiError | NoReply): void {
    this.#remove(job);
    job.reject(reason);
    job.leaving.abort();
  }

  #remove(job: PreCheck): void {
    job.client?.removeEventListener("abort", job.onLeave);
    this.#jobs = this.#jobs.filter((other) => other !== job);
  }

  async #next(): Promise<void> {
    const [job] = this.#jobs;
    if (job === undefined || this.#isRunning) return;
    this.#isRunning = true;
    const running = Promise.try(job.run, { disconnected: job.leaving.signal });
    await Promise.allSettled([running]);
    this.#isRunning = false;
    this.#remove(job);
    job.resolve(running);
    this.#next();
  }
}
