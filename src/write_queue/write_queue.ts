import { ApiError, ClientDisconnected, type ErrorCode } from "../model/errors.ts";
import type { Outcome } from "../store/api/outcome.ts";
import type { Client, StoreReads, StoreWriter } from "../store/api/store.ts";
import type { AttemptResult, StoreWrite, WriteResult } from "../store/api/write.ts";
import { areOverBudget, preCheck } from "../store/core/pre_check.ts";
import { Age } from "../time/clock.ts";
import { Admission, type QueueEntry } from "./admission.ts";
import { PreChecks } from "./pre_checks.ts";
import { type Job, makeJob, WaitingJobs } from "./waiting_jobs.ts";

/** The outcome of a write, and how long it held the turn. */
export interface EndedWrite<R extends AttemptResult = WriteResult> {
  readonly outcome: Outcome<R>;
  readonly lockSeconds: number;
}

export interface WriteQueueOptions {
  readonly store: {
    readonly writer: Pick<StoreWriter, "group">;
    readonly reads: Pick<StoreReads, "chunk">;
  };
  /** Requests that may wait; the one that holds the turn is not counted. */
  readonly waitingMax: number;
  /** The error code for a request that finds the queue full. */
  readonly fullCode: ErrorCode;
  /** The maximum of writes that share one transaction. Only a benchmark has a reason to set it. */
  readonly groupWritesMax?: number;
}

/** The queue without its writes: turns of any kind, and what waits for them. */
export type WriteTurns = Pick<
  WriteQueue,
  "alone" | "next" | "assertOpen" | "active" | "queued" | "queuedCount"
>;

/**
 * How many pre-checks a write may have. A write may exceed the check budget again if many events were committed
 * since the last pre-check. After this many, the write transaction checks the conditions, however long that takes.
 */
const CHECKS_MAX = 3;

/**
 * The one queue of all writes: one turn at a time, in the order in which the requests came. Only large writes let
 * smaller ones pass (`waiting_jobs.ts`).
 *
 * All waiting writes up to the next job that runs alone share one transaction and one fsync. Clients still see them
 * run one by one: the first member of a group counts as active, the others as waiting.
 */
export class WriteQueue {
  readonly #options: WriteQueueOptions;
  readonly #waiting: WaitingJobs;
  /** Jobs that go before the waiting ones. */
  readonly #urgent: Job[] = [];
  readonly #preChecks = new PreChecks();
  #active: readonly Job[] = [];
  #activeAge = new Age();
  #closing = false;
  readonly #drained = Promise.withResolvers<void>();

  constructor(options: WriteQueueOptions) {
    this.#options = options;
    this.#waiting = new WaitingJobs(options.groupWritesMax);
  }

  /**
   * Waits for a turn and writes in it. Conditions that exceed the check budget are pre-checked outside the write
   * transaction, and the write then waits again.
   * @throws ApiError when the queue is full or the server is shutting down, ClientDisconnected when the client
   *   disconnects in time
   */
  async write(admission: Admission, write: StoreWrite): Promise<EndedWrite> {
    const { reads } = this.#options.store;
    let { conditions } = write;
    let lockSeconds = 0;
    let mustCheck = areOverBudget(conditions);
    for (let checks = 0;; mustCheck = true) {
      if (mustCheck) {
        conditions = await this.preCheck(admission, (client) => preCheck(reads, conditions, client));
        checks++;
      }
      const attempt = { ...write, conditions, hasBudget: checks < CHECKS_MAX };
      const ended = await this.#join(makeJob(admission, { write: attempt })) as EndedWrite<AttemptResult>;
      lockSeconds += ended.lockSeconds;
      const { outcome } = ended;
      if (outcome.kind === "done" && outcome.value.kind === "overBudget") continue;
      return { outcome: outcome as Outcome<WriteResult>, lockSeconds };
    }
  }

  /**
   * Runs the pre-check of a write before its turn: in parallel with the turns of others, but one pre-check at a
   * time. Meanwhile the request counts as waiting. Throws like `write`.
   */
  preCheck<T>(admission: Admission, run: (client: Client) => Promise<T>): Promise<T> {
    this.#admit(admission, this.#preChecks.all.length + this.#active.length === 0);
    return this.#preChecks.add(admission, run);
  }

  /** Waits for a turn, and holds it alone until the promise of `run` settles. Throws like `write`. */
  alone<T>(admission: Admission, run: () => Promise<T>): Promise<T> {
    return this.#join(makeJob(admission, { run })) as Promise<T>;
  }

  /** Takes the next turn, before the waiting requests and without being counted among them. Throws like `write`. */
  next<T>(kind: string, run: () => Promise<T>): Promise<T> {
    this.assertOpen();
    const job = makeJob(new Admission(kind), { run });
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
    return first && { kind: first.admission.kind, age: this.#activeAge };
  }

  get queued(): QueueEntry[] {
    const jobs = [...this.#active.slice(1), ...this.#waiting.all, ...this.#preChecks.all];
    return jobs.map(({ admission }) => admission).sort((a, b) => a.age.compare(b.age));
  }

  get queuedCount(): number {
    return Math.max(this.#active.length - 1, 0) + this.#waiting.all.length + this.#preChecks.all.length;
  }

  /** Rejects waiting requests, and all later ones. Resolves when the last turn has ended. */
  shutdown(): Promise<void> {
    this.#closing = true;
    this.#preChecks.reject(new ApiError("ShuttingDown"));
    for (const job of [...this.#urgent.splice(0), ...this.#waiting.take(this.#waiting.all)]) {
      job.reject(new ApiError("ShuttingDown"));
    }
    this.#next();
    return this.#drained.promise;
  }

  #admit(admission: Admission, isFree: boolean): void {
    this.assertOpen();
    if (admission.client?.aborted) throw new ClientDisconnected();
    if (!admission.isAdmitted && !isFree && this.queuedCount >= this.#options.waitingMax) {
      throw new ApiError(this.#options.fullCode);
    }
    admission.isAdmitted = true;
  }

  #join(job: Job): Promise<unknown> {
    const returns = job.admission.isAdmitted;
    this.#admit(job.admission, this.#active.length === 0);
    this.#waiting.add(job, returns);
    this.#next();
    return job.promise;
  }

  /** Gives the turn to the next job, unless a job holds it. */
  #next(): void {
    if (this.#active.length > 0) return;
    const urgent = this.#urgent.shift();
    this.#active = urgent === undefined ? this.#waiting.takeGroup() : [urgent];
    const [first] = this.#active;
    if (first === undefined) {
      if (this.#closing) this.#drained.resolve();
      return;
    }
    this.#activeAge = new Age();
    if ("run" in first.task) this.#runAlone(first, first.task.run);
    else this.#runGroup();
  }

  async #runAlone(job: Job, run: () => Promise<unknown>): Promise<void> {
    const running = Promise.try(run);
    await Promise.allSettled([running]);
    this.#endTurn();
    job.resolve(running);
  }

  async #runGroup(): Promise<void> {
    let outcomes: readonly Outcome<AttemptResult>[];
    try {
      outcomes = await this.#options.store.writer.group(writesOf(this.#active), () => this.#takeMore());
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

  /** Lets writes join the group that has the turn. */
  #takeMore(): readonly StoreWrite[] {
    if (this.#urgent.length > 0) return [];
    const joining = this.#waiting.takeJoining(this.#active);
    this.#active = [...this.#active, ...joining];
    return writesOf(joining);
  }

  #endTurn(): void {
    this.#active = [];
    this.#next();
  }
}

function writesOf(group: readonly Job[]): StoreWrite[] {
  return group.flatMap(({ task }) => "write" in task ? [task.write] : []);
}
