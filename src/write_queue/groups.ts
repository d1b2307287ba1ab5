import { queryValues } from "../model/query.ts";
import type { StoreWrite } from "../store/api/write.ts";
import type { Job } from "./job.ts";

/**
 * The maximum size of the requests in one group, unless its first is larger. A group is copied on its way to the
 * writer, which blocks this thread. Later writes also wait for the whole group.
 */
const GROUP_BYTES_MAX = 8 * 1024 * 1024;

const LARGE_BYTES_MIN = 1024 * 1024;

/** Many small values take longer to copy than their bytes suggest. */
const QUERY_VALUE_BYTES = 256;

/**
 * Returns the weight of a write in a group.
 * @param bytes size of the requests that brought it
 */
export function weightOf({ conditions }: StoreWrite, bytes: number): number {
  let values = 0;
  for (const { failIfEventsMatch } of conditions) values += queryValues(failIfEventsMatch);
  return bytes + values * QUERY_VALUE_BYTES;
}

/**
 * Selects the waiting jobs that share the next turn. That is the first job and, if it is a write, all writes up to the
 * next job that runs alone. A write that does not fit into the group lets others pass. A large write, which makes others
 * wait, lets smaller ones pass once, even if it is the first.
 */
export class Groups {
  readonly #writesMax: number;
  /** The large write that others were allowed to pass. */
  #passed: Job | undefined;

  constructor(writesMax: number = Infinity) {
    this.#writesMax = writesMax;
  }

  form(waiting: readonly Job[]): readonly Job[] {
    const [first] = waiting;
    const mayPass = first !== undefined && isLarge(first) && first !== this.#passed;
    const small = mayPass ? this.#fitting(waiting, (job) => !isLarge(job)) : [];
    if (small.length === 0) return this.#fitting(waiting, () => true);
    this.#passed = first;
    return small;
  }

  /**
   * Selects waiting jobs that may still join a group: from the first on, as long as they are small writes and fit.
   */
  joining(group: readonly Job[], waiting: readonly Job[]): readonly Job[] {
    let weightBytes = group.reduce((sum, job) => sum + job.weightBytes, 0);
    const fits = (job: Job): boolean => (weightBytes += job.weightBytes) <= GROUP_BYTES_MAX;
    const end = waiting.findIndex((job, i) =>
      "run" in job.task || isLarge(job) || group.length + i >= this.#writesMax || !fits(job)
    );
    return end < 0 ? waiting : waiting.slice(0, end);
  }

  /**
   * Selects the first job, or the writes up to the next job that runs alone, if they are wanted and fit into a
   * group.
   */
  #fitting(waiting: readonly Job[], isWanted: (job: Job) => boolean): Job[] {
    const group: Job[] = [];
    let weightBytes = 0;
    for (const job of waiting) {
      const isAlone = "run" in job.task;
      if (group.length === this.#writesMax || (isAlone && job !== waiting[0])) break;
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
