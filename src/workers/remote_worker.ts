import type { Answer, HostedClass, Invocation } from "./host_object.ts";
import { movedBuffers } from "./moved_buffers.ts";
import type { Notice, Tell } from "./notice.ts";

/** The methods of an object in another thread. */
export type Remote<T> = {
  readonly [Name in keyof T as T[Name] extends Method ? Name : never]: T[Name] extends
    (...args: infer Args) => infer Value ? (...args: Args) => Promise<Value> : never;
};

// deno-lint-ignore no-explicit-any -- stands for the arguments of every method
type Method = (...args: any[]) => unknown;

/** The arguments that open an object, except for what its worker adds. */
type OpenArgs<C extends HostedClass> = Parameters<C["open"]> extends [...infer Args, Tell] ? Args
  : Parameters<C["open"]>;

/** An error that a worker threw, with the name that it had there. */
export class WorkerError extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

/** A worker and the object that lives in it. It answers one call at a time: wait for the answer before the next. */
export class RemoteWorker<C extends HostedClass> {
  /** The object, once it is open. */
  readonly object: Remote<ReturnType<C["open"]>>;
  readonly #worker: Worker;
  #pending: { resolve: (value: unknown) => void; reject: (error: Error) => void } | undefined;
  #dead: Error | undefined;
  /** Called with what the object sends unasked, and when the worker has died. */
  onNotice: (notice: Notice) => void = () => {};

  constructor(module: URL, name: string) {
    this.#worker = new Worker(module, { type: "module", name });
    this.#worker.onmessage = (event: MessageEvent<Answer | Notice>) => this.#receive(event.data);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#die(new WorkerError("WorkerError", `the ${name} worker died: ${event.message}`));
    };
    const get = (_: object, method: string | symbol): unknown => {
      // Nothing that is awaited with the object in it may take the object for a promise.
      if (typeof method === "symbol" || method === "then") return undefined;
      return (...args: readonly unknown[]) => this.#invoke({ method, args });
    };
    this.object = new Proxy({}, { get }) as Remote<ReturnType<C["open"]>>;
  }

  /** Opens the object. @throws WorkerError with the name and message of what the worker threw, as every call does */
  open(...args: OpenArgs<C>): Promise<ReturnType<C["open"]>["opened"]> {
    return this.#invoke({ method: "open", args });
  }

  terminate(): void {
    this.#worker.terminate();
    this.#dead = new Error("the worker was stopped");
  }

  #invoke<T>(invocation: Invocation): Promise<T> {
    if (this.#dead !== undefined) return Promise.reject(this.#dead);
    if (this.#pending !== undefined) return Promise.reject(new Error("a worker takes one call at a time"));
    return new Promise((resolve, reject) => {
      // What cannot be sent throws, which rejects this call alone: nothing is pending then.
      this.#worker.postMessage(invocation, movedBuffers(invocation.args));
      this.#pending = { resolve: resolve as (value: unknown) => void, reject };
    });
  }

  #receive(message: Answer | Notice): void {
    if (!("value" in message || "error" in message)) return this.onNotice(message);
    const pending = this.#pending!;
    this.#pending = undefined;
    if ("value" in message) pending.resolve(message.value);
    else pending.reject(new WorkerError(message.error.name, message.error.message));
  }

  #die(error: Error): void {
    this.#dead = error;
    this.#pending?.reject(error);
    this.#pending = undefined;
    this.onNotice({ broken: error.message });
  }
}
