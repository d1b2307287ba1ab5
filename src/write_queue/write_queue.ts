import { ApiError, ClientDisconnected, type ErrorCode } from "../model/errors.ts";
import type { Outcome } from "../store/api/outcome.ts";
import type { Client, StoreWriter } from "../store/api/store.ts";
import type { AttemptResult, StoreWrite, WriteResult } from "../store/api/write.ts";
import { Age } from "../time/clock.ts";
import { Groups, weightOf } from "./groups.ts";
import { type Job, makeJob, stopListening } from "./job.ts";
import { PreCheckQueue } from "./pre_check_queue.ts";
import { entryOf, type QueueEntry } from "./queue_entry.ts";

/** The outcome of a write, and how long it held the turn. */
export interface EndedWrite<R extends AttemptResult = WriteResult> {
  readonly outcome: Outcome<R>;
  readonly lockSeconds: number;
}

export interface WriteQueueOptions {
  /** Runs a group of writes in one transaction. */
  readonly runGroup: StoreWriter["group"];
  /** Requests that may wait; the one that holds the turn is not counted. */
  readonly waitingMax: number;
  /** The error code for a request that finds the queue full. */
  readonly fullCode: ErrorCode;
  /** The maximum of writes that share one transaction. Only a benchmark has a reason to set it. */
  readonly groupWritesMax?: number;
}

/**
 * The one queue of all writes: one turn at a time, in the order in which the requests came.
 *
 * All waiting writes up to the next job that runs alone share one transaction and one fsync. Clients still see them
 * run one by one: the first member of a group counts as active, the others as waiting.
 */
export class WriteQueue {
  readonly #options: WriteQueueOptions;
  #waiting: Job[] = [];
  /** Jobs that go before the waiting ones. */
  readonly #urgent: Job[] = [];
  readonly #preChecks = new PreCheckQueue();
  #active: readonly Job[] = [];
  #activeAge = new Age();
  readonly #groups: Groups;
  #closing = false;
  readonly #drained = Promise.withResolvers<void>();

  constructor(options: WriteQueueOptions) {
    this.#options = options;
    this.#groups = new Groups(options.groupWritesMax);
  }

  /**
   * Waits for a turn and writes in it.
   * @param client aborts when the client disconnects, which withdraws a waiting write. Without it, the write runs even if
   *   no client receives the result
   * @param bytes size of the requests that brought what it writes
   * @param admitted when the request was admitted, if that was before: then it is not rejected, and goes before
   *   later requests
   * @throws ApiError when the queue is full or the server is shutting down, ClientDisconnected when the client
   *   disconnects in time
   */
  write(
    kind: string,
    write: StoreWrite,
    client: AbortSignal | undefined,
    bytes?: number,
    admitted?: Age,
  ): Promise<EndedWrite> {
    const weightBytes = weightOf(write, bytes ?? 0);
    const job = makeJob(kind, { write }, client, { weightBytes, age: admitted });
    return this.#join(job, admitted !== undefined) as Promise<EndedWrite>;
  }

  /**
   * Like `write`, but with a budget for checking the conditions. Over budget, nothing is written: the result is
   * `costly`.
   */
  tryWrite(
    kind: string,
    write: StoreWrite,
    client: AbortSignal | undefined,
    bytes: number,
    admitted: Age | undefined,
  ): Promise<EndedWrite<AttemptResult>> {
    return this.write(kind, { ...write, hasBudget: true }, client, bytes, admitted);
  }

  /**
   * Runs the pre-check of a write before its turn: in parallel with the turns of others, but one pre-check at a
   * time. Meanwhile the request counts as waiting. Throws like `write`.
   */
  preCheck<T>(
    kind: string,
    run: (client: Client) => Promise<T>,
    client: AbortSignal | undefined,
    admitted?: Age,
  ): Promise<T> {
    this.#admit(client, admitted !== undefined || this.#preChecks.count + this.#active.length === 0);
    return this.#preChecks.add(kind, run, client, admitted ?? new Age());
  }

  /** Waits for a turn, and holds it alone until the promise of `run` settles. Throws like `write`. */
  alone<T>(kind: string, run: () => Promise<T>, client: AbortSignal | undefined): Promise<T> {
    return this.#join(makeJob(kind, { run }, client)) as Promise<T>;
  }

  /** Takes the next turn, before the waiting requests and without being counted among them. Throws like `write`. */
  next<T>(kind: string, run: () => Promise<T>): Promise<T> {
    this.assertOpen();
    const job = makeJob(kind, { run }, undefined);
    this.#urgent.push(job);
    this.#next();
    return job.promise as Promise<T>;
  }

  /** @throws ApiError `ShuttingDown` once the queue accepts nothing more */
  assertOpen(): void {
    if (this.#closing) throw new ApiError("ShuttingDown");
  }

  /** The request that holds the turn, if any. */
  get active(): QueueEntry | undefined {
    const first = this.#active[0];
    return first && entryOf(first, this.#activeAge);
  }

  /** The waiting requests, oldest first. */
  get queued(): QueueEntry[] {
    const jobs = [...this.#active.slice(1), ...this.#waiting, ...this.#preChecks.jobs];
    return jobs.sort((a, b) => a.age.compare(b.age)).map((job) => entryOf(job, job.age));
  }

  get queuedCount(): number {
    return Math.max(this.#active.length - 1, 0) + this.#waiting.length + this.#preChecks.count;
  }

  /** Rejects waiting requests, and all later ones. Resolves when the last turn has ended. */
  shutdown(): Promise<void> {
    this.#closing = true;
    this.#preChecks.reject(new ApiError("ShuttingDown"));
    for (const job of [...this.#urgent.splice(0), ...this.#waiting.splice(0)]) {
      stopListening(job);
      job.reject(new ApiError("ShuttingDown"));
    }
    this.#next();
    return this.#drained.promise;
  }

  #admit(client: AbortSignal | undefined, isAdmitted: boolean): void {
    this.assertOpen();
    if (client?.aborted) throw new ClientDisconnected();
    if (!isAdmitted && this.queuedCount >= this.#options.waitingMax) {
      throw new ApiError(this.#options.fullCode);
    }
  }

  #join(job: Job, isAdmitted = false): Promise<unknown> {
    const { client } = job;
    this.#admit(client, isAdmitted || this.#active.length === 0);
    job.onLeave = () => {
      this.#waiting = this.#waiting.filter((other) => other !== job);
      job.reject(new ClientDisconnected());
    };
    client?.addEventListener("abort", job.onLeave, { once: true });
    const place = isAdmitted ? this.#waiting.findIndex(({ age }) => age.compare(job.age) > 0) : -1;
    this.#waiting.splice(place < 0 ? this.#waiting.length : place, 0, job);
    this.#next();
    return job.promise;
  }

  /** Gives the turn to the next job, unless a job holds it. */
  #next(): void {
    if (this.#active.length > 0) return;
    const urgent = this.#urgent.shift();
    this.#active = urgent === undefined ? this.#takeGroup() : [urgent];
    const [first] = this.#active;
    if (first === undefined) {
      if (this.#closing) this.#drained.resolve();
      return;
    }
    this.#activeAge = new Age();
    if ("run" in first.task) this.#runAlone(first, first.task.run);
    else this.#runGroup();
  }

  #takeGroup(): readonly Job[] {
    return this.#take(this.#groups.form(this.#waiting));
  }

  /** Lets writes join the group that has the turn. */
  #takeMore(): readonly StoreWrite[] {
    if (this.#urgent.length > 0) return [];
    const joining = this.#take(this.#groups.joining(this.#active, this.#waiting));
    this.#active = [...this.#active, ...joining];
    return writesOf(joining);
  }

  #take(group: readonly Job[]): readonly Job[] {
    if (group.length === this.#waiting.length) {
      this.#waiting = [];
    } else {
      const taken = new Set(group);
      this.#waiting = this.#waiting.filter((job) => !taken.has(job));
    }
    for (const job of group) stopListening(job);
    return group;
  }

  async #runGroup(): Promise<void> {
    let outcomes: readonly Outcome<AttemptResult>[];
    try {
      outcomes = await this.#options.runGroup(writesOf(this.#active), () => this.#takeMore());
    } catch (error) {
      // The writer died. It is unknown whether it had committed.
      outcomes = this.#active.map(() => ({ kind: "unknown", reason: (error as Error).message }));
    }
    const group = this.#active;
    // Each write gets an equal share, so that their sum is the time in which the writer was busy.
    const lockSeconds = this.#activeAge.seconds / group.length;
    this.#endTurn();
    for (const [index, job] of group.entries()) {
      job.resolve({ outcome: outcomes[index]!, lockSeconds } satisfies EndedWrite<AttemptResult>);
    }
  }

  async #runAlone(job: Job, run: () => Promise<unknown>): Promise<void> {
    const running = Promise.try(run);
    await Promise.allSettled([running]);
    this.#endTurn();
    job.resolve(running);
  }

  #endTurn(): void {
    this.#active = [];
    this.#next();
  }
}

function writesOf(group: readonly Job[]): StoreWrite[] {
  return group.flatMap(({ task }) => "write" in task ? [task.write] : []);
}
