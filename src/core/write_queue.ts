import { ClientLeft, type ErrorCode, Refusal } from "../model/errors.ts";
import type { GroupEnd } from "../store/messages.ts";
import type { StoreWrite } from "../store/run_write.ts";
import type { Verdict } from "../store/writer.ts";
import { nowMicros } from "./clock.ts";

/** What became of a write, and how long it held the turn. */
export interface WriteEnd {
  readonly verdict: Verdict;
  readonly storeId: string;
  readonly turnSeconds: number;
}

/** A request in the queue, as `/debug` shows it. Times in microseconds, waits by the monotonic clock. */
export interface QueueEntry {
  readonly kind: string;
  readonly sinceMicros: number;
  readonly seconds: number;
}

export interface WriteQueueOptions {
  /** Runs a group of writes in one transaction. */
  readonly runGroup: (writes: readonly StoreWrite[]) => Promise<GroupEnd>;
  /** Requests that may wait; the one that holds the turn isn't counted. */
  readonly waitingMax: number;
  /** The error code for a request that finds the queue full. */
  readonly fullCode: ErrorCode;
  /** Writes that share one transaction at most. Only a benchmark has a reason to set it. */
  readonly groupWritesMax?: number;
}

/** What a job does in its turn: be a member of a write group, or hold the turn alone. */
type Task = { readonly write: StoreWrite } | { readonly run: () => Promise<unknown> };

interface Job {
  readonly kind: string;
  readonly task: Task;
  readonly client: AbortSignal | undefined;
  onLeave: () => void;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly joinedMicros: number;
  readonly joinedAt: number;
}

/**
 * The one queue of everything that writes: strictly in arrival order, one turn at a time.
 *
 * All writes that wait up to the next job that runs alone share one transaction and one fsync. To the outside
 * they still run one by one: the first member of a group counts as active, the others as waiting.
 */
export class WriteQueue {
  readonly #options: WriteQueueOptions;
  #waiting: Job[] = [];
  /** Jobs that go before those that wait. */
  readonly #urgent: Job[] = [];
  #active: readonly Job[] = [];
  #activeSinceMicros = 0;
  #activeSince = 0;
  #closing = false;
  readonly #drained = Promise.withResolvers<void>();

  constructor(options: WriteQueueOptions) {
    this.#options = options;
  }

  /**
   * Waits for a turn and writes in it.
   * @param client aborts when the client leaves; a write that waits is then taken out. Without it the write
   *   runs even if nobody is left to hear of it
   * @throws Refusal when the queue is full or the server shuts down, ClientLeft when the client left in time
   */
  write(kind: string, write: StoreWrite, client: AbortSignal | undefined): Promise<WriteEnd> {
    return this.#join(kind, { write }, client) as Promise<WriteEnd>;
  }

  /** Waits for a turn, and holds it alone until the promise of `run` settles. Throws like `write`. */
  alone<T>(kind: string, run: () => Promise<T>, client: AbortSignal | undefined): Promise<T> {
    return this.#join(kind, { run }, client) as Promise<T>;
  }

  /** Takes the next turn, before everybody who waits and without being one of them. Throws like `write`. */
  next<T>(kind: string, run: () => Promise<T>): Promise<T> {
    this.mustBeOpen();
    const { job, promise } = makeJob(kind, { run }, undefined);
    this.#urgent.push(job);
    this.#next();
    return promise as Promise<T>;
  }

  /** @throws Refusal `ShuttingDown` once the queue takes nothing more */
  mustBeOpen(): void {
    if (this.#closing) throw new Refusal("ShuttingDown");
  }

  /** The request that holds the turn, if any. */
  get active(): QueueEntry | undefined {
    const first = this.#active[0];
    return first && {
      kind: first.kind,
      sinceMicros: this.#activeSinceMicros,
      seconds: secondsSince(this.#activeSince),
    };
  }

  /** The requests that wait, oldest first. */
  get queued(): QueueEntry[] {
    return [...this.#active.slice(1), ...this.#waiting].map((job) => ({
      kind: job.kind,
      sinceMicros: job.joinedMicros,
      seconds: secondsSince(job.joinedAt),
    }));
  }

  get queuedCount(): number {
    return Math.max(this.#active.length - 1, 0) + this.#waiting.length;
  }

  /** Refuses what waits and what arrives from now on. Resolves when the turn is free for good. */
  shutdown(): Promise<void> {
    this.#closing = true;
    for (const job of [...this.#urgent.splice(0), ...this.#waiting.splice(0)]) {
      stopListening(job);
      job.reject(new Refusal("ShuttingDown"));
    }
    this.#next();
    return this.#drained.promise;
  }

  #join(kind: string, task: Task, client: AbortSignal | undefined): Promise<unknown> {
    this.mustBeOpen();
    if (client?.aborted) throw new ClientLeft();
    if (this.#active.length > 0 && this.queuedCount >= this.#options.waitingMax) {
      throw new Refusal(this.#options.fullCode);
    }
    const { job, promise } = makeJob(kind, task, client);
    job.onLeave = () => {
      this.#waiting = this.#waiting.filter((other) => other !== job);
      job.reject(new ClientLeft());
    };
    client?.addEventListener("abort", job.onLeave, { once: true });
    this.#waiting.push(job);
    this.#next();
    return promise;
  }

  /** Gives the turn to whoever is next, unless somebody holds it. */
  #next(): void {
    if (this.#active.length > 0) return;
    const urgent = this.#urgent.shift();
    this.#active = urgent === undefined ? this.#takeGroup() : [urgent];
    const [first] = this.#active;
    if (first === undefined) {
      if (this.#closing) this.#drained.resolve();
      return;
    }
    this.#activeSinceMicros = nowMicros();
    this.#activeSince = performance.now();
    if ("run" in first.task) this.#runAlone(first, first.task.run);
    else this.#runGroup(this.#active);
  }

  /** Takes the first job, and with a write all writes behind it up to the next job that runs alone. */
  #takeGroup(): Job[] {
    const { groupWritesMax = Infinity } = this.#options;
    const alone = this.#waiting.findIndex((job) => "run" in job.task);
    const writes = alone < 0 ? this.#waiting.length : alone;
    const group = this.#waiting.splice(0, Math.max(1, Math.min(writes, groupWritesMax)));
    for (const job of group) stopListening(job);
    return group;
  }

  async #runGroup(group: readonly Job[]): Promise<void> {
    let end: GroupEnd;
    try {
      end = await this.#options.runGroup(group.flatMap((job) => "write" in job.task ? [job.task.write] : []));
    } catch (error) {
      // The writer died. Whether it had committed is unknown.
      const reason = (error as Error).message;
      end = { verdicts: group.map(() => ({ kind: "unknown", reason })), storeId: "" };
    }
    // An equal share each, so that the turns of a group add up to the time that the writer was busy.
    const turnSeconds = secondsSince(this.#activeSince) / group.length;
    this.#endTurn();
    for (const [index, job] of group.entries()) {
      job.resolve({ verdict: end.verdicts[index]!, storeId: end.storeId, turnSeconds } satisfies WriteEnd);
    }
  }

  async #runAlone(job: Job, run: () => Promise<unknown>): Promise<void> {
    try {
      const result = await run();
      this.#endTurn();
      job.resolve(result);
    } catch (error) {
      this.#endTurn();
      job.reject(error);
    }
  }

  #endTurn(): void {
    this.#active = [];
    this.#next();
  }
}

function makeJob(
  kind: string,
  task: Task,
  client: AbortSignal | undefined,
): { readonly job: Job; readonly promise: Promise<unknown> } {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const [joinedMicros, joinedAt] = [nowMicros(), performance.now()];
  const job = { kind, task, client, onLeave: () => {}, resolve, reject, joinedMicros, joinedAt };
  return { job, promise };
}

function stopListening(job: Job): void {
  job.client?.removeEventListener("abort", job.onLeave);
}

function secondsSince(start: number): number {
  return (performance.now() - start) / 1000;
}
