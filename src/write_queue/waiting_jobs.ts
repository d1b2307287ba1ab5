import { ClientDisconnected } from "../model/errors.ts";
import { queryValues } from "../model/query.ts";
import type { StoreWrite } from "../store/api/write.ts";
import type { Admission } from "./admission.ts";

/** The task of a job in its turn: join a write group, or hold the turn alone. */
type Task = { readonly write: StoreWrite } | { readonly run: () => Promise<unknown> };

export interface Job extends PromiseWithResolvers<unknown> {
  readonly admission: Admission;
  readonly task: Task;
  /** Its weight in a group, in bytes. */
  readonly weightBytes: number;
  onLeave: () => void;
}

/**
 * The maximum size of the requests in one group, unless its first is larger. A group is copied on its way to the
 * writer, which blocks this thread. Later writes also wait for the whole group.
 */
const GROUP_BYTES_MAX = 8 * 1024 * 1024;

const LARGE_BYTES_MIN = 1024 * 1024;

/** Many small values take longer to copy than their bytes suggest. */
const QUERY_VALUE_BYTES = 256;

export function makeJob(admission: Admission, task: Task): Job {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const weightBytes = "write" in task ? weightOf(task.write, admission.bytes) : 0;
  return { admission, task, weightBytes, onLeave: () => {}, promise, resolve, reject };
}

function weightOf({ conditions }: StoreWrite, bytes: number): number {
  let values = 0;
  for (const { failIfEventsMatch } of conditions) values += queryValues(failIfEventsMatch);
  return bytes + values * QUERY_VALUE_BYTES;
}

/** The jobs that wait for a turn, in the order in which they came. */
export class WaitingJobs {
  readonly #groupWritesMax: number;
  #jobs: Job[] = [];
  /** The large write that others were allowed to pass. */
  #passed: Job | undefined;

  constructor(groupWritesMax: number = Infinity) {
    this.#groupWritesMax = groupWritesMax;
  }

  get all(): readonly Job[] {
    return this.#jobs;
  }

  /** Adds a job, until it is taken or its client disconnects. @param returns goes before those that came after it */
  add(job: Job, returns: boolean): void {
    const { client, age } = job.admission;
    job.onLeave = () => {
      this.#jobs = this.#jobs.filter((other) => other !== job);
      job.reject(new ClientDisconnected());
    };
    client?.addEventListener("abort", job.onLeave, { once: true });
    const later = returns ? this.#jobs.findIndex(({ admission }) => admission.age.compare(age) > 0) : -1;
    this.#jobs.splice(later < 0 ? this.#jobs.length : later, 0, job);
  }

  /**
   * Takes out the jobs that share the next turn. That is the first job and, if it is a write, all writes up to the next
   * job that runs alone. A write that does not fit into the group lets others pass. A large write, which makes others
   * wait, lets smaller ones pass once, even if it is the first.
   */
  takeGroup(): readonly Job[] {
    const [first] = this.#jobs;
    const mayPass = first !== undefined && isLarge(first) && first !== this.#passed;
    const small = mayPass ? this.#fitting((job) => !isLarge(job)) : [];
    if (small.length === 0) return this.take(this.#fitting(() => true));
    this.#passed = first;
    return this.take(small);
  }

  /** Takes out jobs that may still join a group: from the first on, as long as they are small writes and fit. */
  takeJoining(group: readonly Job[]): readonly Job[] {
    let weightBytes = group.reduce((sum, job) => sum + job.weightBytes, 0);
    const fits = (job: Job): boolean => (weightBytes += job.weightBytes) <= GROUP_BYTES_MAX;
    const end = this.#jobs.findIndex((job, i) =>
      "run" in job.task || isLarge(job) || group.length + i >= this.#groupWritesMax || !fits(job)
    );
    return this.take(end < 0 ? this.#jobs : this.#jobs.slice(0, end));
  }

  take(jobs: readonly Job[]): readonly Job[] {
    if (jobs.length === this.#jobs.length) {
      this.#jobs = [];
    } else {
      const taken = new Set(jobs);
      this.#jobs = this.#jobs.filter((job) => !taken.has(job));
    }
    for (const { admission, onLeave } of jobs) admission.client?.removeEventListener("abort", onLeave);
    return jobs;
  }

  /** Selects the first job, or the writes up to the next job that runs alone, if they are wanted and fit. */
  #fitting(isWanted: (job: Job) => boolean): Job[] {
    const group: Job[] = [];
    let weightBytes = 0;
    for (const job of this.#jobs) {
      const isAlone = "run" in job.task;
      if (group.length === this.#groupWritesMax || (isAlone && job !== this.#jobs[0])) break;
      if (!isWanted(job) || (group.length > 0 && weightBytes + job.weightBytes > GROUP_BYTES_MAX)) continue;
      group.push(job);
      weightBytes += job.weightBytes;
      if (isAlone) break;
    }
    return group;
  }
}

function isLarge({ weightBytes }: Job): boolean {
  return weightBytes >= LARGE_BYTES_MIN;
}
