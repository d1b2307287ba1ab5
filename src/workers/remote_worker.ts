import { type Answer, type AnswerMessage, errorAnswer } from "./answer.ts";
import type { HostedClass, Invocation } from "./host_object.ts";
import { movedBuffers } from "./moved_buffers.ts";
import type { RemoteOptions } from "./call_codec.ts";
import { SharedCalls } from "./shared_calls.ts";

/** The methods of an object in another thread. */
export type Remote<T> = {
  readonly [Name in keyof T as T[Name] extends Method ? Name : never]: T[Name] extends
    (...args: infer Args) => infer Value ? (...args: Args) => Promise<Value> : never;
};

// deno-lint-ignore no-explicit-any -- stands for the arguments of every method
type Method = (...args: any[]) => unknown;

/** The arguments of `open`, without the one that the worker adds. */
type OpenArgs<C extends HostedClass> = Parameters<C["open"]> extends
  [...infer Args, (notification: never) => void] ? Args
  : Parameters<C["open"]>;

/** An error that a worker threw, with the name that it had there. */
export class WorkerError extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

/**
 * A worker and the object that lives in it. It accepts as many calls at once as its options say. Before further
 * calls, the caller must wait for an answer.
 */
export class RemoteWorker<C extends HostedClass, Notification extends object = never> {
  /** The object, once it is open. */
  readonly object: Remote<ReturnType<C["open"]>>;
  readonly #worker: Worker;
  readonly #shared: SharedCalls | undefined;
  /** By the ID of each call in progress, the function that receives the answer if it comes as a message. */
  readonly #pending: (((answer: Answer) => void) | undefined)[] = [];
  /** The IDs that no call uses. */
  readonly #freeIds: number[];
  #dead: Error | undefined;
  /** Called with each message that the object sends without a call. */
  onNotification: (notification: Notification) => void = () => {};
  onDeath: (reason: string) => void = () => {};

  constructor(module: URL, name: string, options?: RemoteOptions) {
    this.#freeIds = Array.from({ length: options?.callsMax ?? 1 }, (_, id) => id);
    this.#shared = options &&
      new SharedCalls(new SharedArrayBuffer(options.memoryBytes), options.codecs, options.callsMax);
    this.#worker = new Worker(module, { type: "module", name });
    this.#worker.onmessage = (event: MessageEvent<AnswerMessage | Notification>) => this.#receive(event.data);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#die(new WorkerError("WorkerError", `the ${name} worker died: ${event.message}`));
    };
    const get = (_: object, method: string | symbol): unknown => {
      // Code that awaits a value with the object in it must not take the object for a promise.
      if (typeof method === "symbol" || method === "then") return undefined;
      return (...args: readonly unknown[]) => this.#invoke(method, args);
    };
    this.object = new Proxy({}, { get }) as Remote<ReturnType<C["open"]>>;
  }

  /**
   * Opens the object.
   * @throws WorkerError with the name and message of the worker's error, like every call
   */
  open(...args: OpenArgs<C>): Promise<ReturnType<C["open"]>["opened"]> {
    return this.#invoke("open", args) as Promise<ReturnType<C["open"]>["opened"]>;
  }

  /** Cancels the calls that the worker has not begun. They throw CallCancelled. */
  cancel(): void {
    this.#shared?.cancel();
  }

  /** The average time of a recent call through shared memory in the worker, in microseconds. */
  get callMicroseconds(): number {
    return this.#shared?.callMicroseconds ?? 0;
  }

  get isDead(): boolean {
    return this.#dead !== undefined;
  }

  terminate(): void {
    this.#worker.terminate();
    this.#dead = new Error("the worker was stopped");
  }

  async #invoke(method: string, args: readonly unknown[]): Promise<unknown> {
    if (this.#dead !== undefined) throw this.#dead;
    const id = this.#freeIds.pop();
    if (id === undefined) throw new Error("the worker has as many calls as it takes at once");
    const { promise: message, resolve } = Promise.withResolvers<Answer>();
    this.#pending[id] = resolve;
    try {
      const answered = this.#shared?.call(id, method, args);
      if (answered === undefined) this.#send(id, method, args);
      const shared = await answered;
      if (shared !== undefined) return shared.value;
      const answer = await message;
      if ("value" in answer) return answer.value;
      throw this.#dead ?? new WorkerError(answer.error.name, answer.error.message);
    } finally {
      this.#pending[id] = undefined;
      this.#freeIds.push(id);
    }
  }

  /** @throws DataCloneError when the arguments cannot be sent */
  #send(id: number, method: string, args: readonly unknown[]): void {
    const memory = method === "open" ? this.#shared?.memory : undefined;
    this.#worker.postMessage({ id, method, args, memory } satisfies Invocation, movedBuffers(args));
    this.#shared?.callByMessage();
  }

  #receive(message: AnswerMessage | Notification): void {
    if ("answer" in message) this.#pending[message.id]?.(message.answer);
    else this.onNotification(message);
  }

  #die(error: Error): void {
    this.#dead = error;
    for (const resolve of this.#pending) resolve?.(errorAnswer(error));
    this.#shared?.giveUp();
    this.onDeath(error.message);
  }
}
