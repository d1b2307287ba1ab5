import { Semaphore } from "../async/semaphore.ts";
import { type ApiError, ClientDisconnected, type NoReply } from "../model/errors.ts";
import type { Client } from "../store/api/store.ts";
import type { Admission } from "./admission.ts";

interface PreCheck extends PromiseWithResolvers<unknown> {
  readonly admission: Admission;
  readonly run: (client: Client) => Promise<unknown>;
  /** Aborts when no client waits for it any more. */
  readonly leaving: AbortController;
  readonly onLeave: () => void;
}

/** Runs the pre-checks of requests before their turns: one at a time, in the order in which they came. */
export class PreChecks {
  /** The pre-checks that requests wait for, including the running one. */
  #waitedFor: PreCheck[] = [];
  readonly #semaphore = new Semaphore(1);

  get all(): readonly { readonly admission: Admission }[] {
    return this.#waitedFor;
  }

  /** @param run gets a client that disconnects with this one, or when the pre-check is rejected later */
  add<T>(admission: Admission, run: (client: Client) => Promise<T>): Promise<T> {
    const onLeave = (): void => this.#end(check, new ClientDisconnected());
    const leaving = new AbortController();
    const check = { admission, run, leaving, onLeave, ...Promise.withResolvers<unknown>() };
    admission.client?.addEventListener("abort", onLeave, { once: true });
    this.#waitedFor.push(check);
    this.#semaphore.pass(() => this.#runFirst());
    return check.promise as Promise<T>;
  }

  reject(rejection: ApiError): void {
    for (const check of this.#waitedFor) this.#end(check, rejection);
  }

  #end(check: PreCheck, reason: ApiError | NoReply): void {
    this.#remove(check);
    check.reject(reason);
    check.leaving.abort();
  }

  #remove(check: PreCheck): void {
    check.admission.client?.removeEventListener("abort", check.onLeave);
    this.#waitedFor = this.#waitedFor.filter((other) => other !== check);
  }

  async #runFirst(): Promise<void> {
    const [check] = this.#waitedFor;
    // No request waits for it any more.
    if (check === undefined) return;
    const running = Promise.try(check.run, { disconnected: check.leaving.signal });
    await Promise.allSettled([running]);
    this.#remove(check);
    check.resolve(running);
  }
}
