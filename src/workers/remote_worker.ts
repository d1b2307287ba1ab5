import { type Answer, errorAnswer } from "./answer.ts";
import type { CallCodecs } from "./call_codec.ts";
import type { HostedClass, Invocation } from "./host_object.ts";
import { movedBuffers } from "./moved_buffers.ts";
import type { Notice, Tell } from "./notice.ts";
import { SharedCalls } from "./shared_calls.ts";

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

export interface RemoteOptions {
  /** For the calls that go through shared memory; the worker must have the same ones. */
  readonly codecs: CallCodecs;
  /** Arguments and values that need more go as messages. */
  readonly memoryBytes: number;
}

/** A worker and the object that lives in it. It answers one call at a time: wait for the answer before the next. */
export class RemoteWorker<C extends HostedClass> {
  /** The object, once it is open. */
  readonly object: Remote<ReturnType<C["open"]>>;
  readonly #worker: Worker;
  readonly #shared: SharedCalls | undefined;
  /** Receives the answer if it comes as a message. */
  #pending: ((answer: Answer) => void) | undefined;
  #dead: Error | undefined;
  /** Called with what the object sends unasked, and when the worker has died. */
  onNotice: (notice: Notice) => void = () => {};

  constructor(module: URL, name: string, options?: RemoteOptions) {
    this.#shared = options && new SharedCalls(new SharedArrayBuffer(options.memoryBytes), options.codecs);
    this.#worker = new Worker(module, { type: "module", name });
    this.#worker.onmessage = (event: MessageEvent<Answer | Notice>) => this.#receive(event.data);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#die(new WorkerError("WorkerError", `the ${name} worker died: ${event.message}`));
    };
    const get = (_: object, method: string | symbol): unknown => {
      // Nothing that is awaited with the object in it may take the object for a promise.
      if (typeof method === "symbol" || method === "then") return undefined;
      return (...args: readonly unknown[]) => this.#invoke(method, args);
    };
    this.object = new Proxy({}, { get }) as Remote<ReturnType<C["open"]>>;
  }

  /** Opens the object. @throws WorkerError with the name and message of what the worker threw, as every call does */
  open(...args: OpenArgs<C>): Promise<ReturnType<C["open"]>["opened"]> {
    return this.#invoke("open", args) as Promise<ReturnType<C["open"]>["opened"]>;
  }

  terminate(): void {
    this.#worker.terminate();
    this.#dead = new Error("the worker was stopped");
  }

  async #invoke(method: string, args: readonly unknown[]): Promise<unknown> {
    if (this.#dead !== undefined) throw this.#dead;
    if (this.#pending !== undefined) throw new Error("a worker takes one call at a time");
    const { promise: message, resolve } = Promise.withResolvers<Answer>();
    this.#pending = resolve;
    try {
      const answered = this.#shared?.call(method, args);
      if (answered === undefined) this.#send(method, args);
      else if (await answered) return this.#shared!.value(method);
      const answer = await message;
      if ("value" in answer) return answer.value;
      throw this.#dead ?? new WorkerError(answer.error.name, answer.error.message);
    } finally {
      this.#pending = undefined;
    }
  }

  /** @throws DataCloneError when the arguments cannot be sent */
  #send(method: string, args: readonly unknown[]): void {
    const memory = method === "open" ? this.#shared?.memory : undefined;
    this.#worker.postMessage({ method, args, memory } satisfies Invocation, movedBuffers(args));
    this.#shared?.callByMessage();
  }

  #receive(message: Answer | Notice): void {
    if ("value" in message || "error" in message) this.#pending?.(message);
    else this.onNotice(message);
  }

  #die(error: Error): void {
    this.#dead = error;
    this.#pending?.(errorAnswer(error));
    this.#shared?.giveUp();
    this.onNotice({ broken: error.message });
  }
}
