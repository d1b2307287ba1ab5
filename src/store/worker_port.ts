/*
 * Calls over a worker's message port, one at a time: the caller waits for the answer before the next call.
 * Buffers in an answer that the worker names are moved, not copied.
 */

// deno-lint-ignore no-explicit-any -- the one place where the arguments of every call meet
type AnyCalls<T> = { [K in keyof T]: (...args: any[]) => unknown };

interface Call {
  readonly name: PropertyKey;
  readonly args: readonly unknown[];
}

type Answer =
  | { readonly value: unknown }
  | { readonly error: { readonly name: string; readonly message: string } };

/** What a worker says without being asked: why it can't go on. */
interface Broken {
  readonly broken: string;
}

/** An error that a worker threw, with the name that it had there. */
export class WorkerError extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

/** The main thread's end. */
export class WorkerPort<T extends AnyCalls<T>> {
  readonly #worker: Worker;
  #pending: { resolve: (value: unknown) => void; reject: (error: Error) => void } | undefined;
  #dead: Error | undefined;
  #broken = false;
  /** Called once, when the worker says that it can't go on or when it dies. */
  onBroken: (reason: string) => void = () => {};

  constructor(module: URL, name: string) {
    this.#worker = new Worker(module, { type: "module", name });
    this.#worker.onmessage = (event: MessageEvent<Answer | Broken>) => this.#receive(event.data);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#die(new WorkerError("WorkerError", `the ${name} worker died: ${event.message}`));
    };
  }

  /** @throws WorkerError with the name and message of what the worker threw */
  call<K extends keyof T>(name: K, ...args: Parameters<T[K]>): Promise<ReturnType<T[K]>> {
    if (this.#dead !== undefined) return Promise.reject(this.#dead);
    if (this.#pending !== undefined) throw new Error("a worker takes one call at a time");
    return new Promise((resolve, reject) => {
      this.#pending = { resolve: resolve as (value: unknown) => void, reject };
      this.#worker.postMessage({ name, args } satisfies Call);
    });
  }

  terminate(): void {
    this.#worker.terminate();
    this.#dead = new Error("the worker was stopped");
  }

  #receive(message: Answer | Broken): void {
    if ("broken" in message) return this.#report(message.broken);
    const pending = this.#pending!;
    this.#pending = undefined;
    if ("value" in message) pending.resolve(message.value);
    else pending.reject(new WorkerError(message.error.name, message.error.message));
  }

  #die(error: Error): void {
    this.#dead = error;
    this.#pending?.reject(error);
    this.#pending = undefined;
    this.#report(error.message);
  }

  #report(reason: string): void {
    if (this.#broken) return;
    this.#broken = true;
    this.onBroken(reason);
  }
}

declare const self: {
  onmessage: (event: MessageEvent<Call>) => void;
  postMessage(message: Answer | Broken, transfer: Transferable[]): void;
};

/** Tells the main thread, behind the answers so far, that this worker can't go on. */
export function reportBroken(broken: string): void {
  self.postMessage({ broken }, []);
}

/** What a worker does beside answering. */
export interface WorkerDuties {
  /** Buffers of an answer that are to be moved. */
  transfer?(value: unknown): Transferable[];
  /** Work to do after each answer, while the main thread already goes on. */
  afterAnswer?(): void;
}

/** The worker's end: answers every call with the function of its name. */
export function answerCalls<T extends AnyCalls<T>>(calls: T, duties: WorkerDuties = {}): void {
  self.onmessage = (event) => {
    const { name, args } = event.data;
    let answer: Answer;
    try {
      answer = { value: calls[name as keyof T](...args) };
    } catch (error) {
      const { name, message } = error as Error;
      answer = { error: { name, message } };
    }
    self.postMessage(answer, "value" in answer ? duties.transfer?.(answer.value) ?? [] : []);
    duties.afterAnswer?.();
  };
}
