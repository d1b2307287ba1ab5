import { queryValues } from "../model/query.ts";
import type { StoreWrite } from "../store/write.ts";
import type { Job } from "./job.ts";

/**
 * The size of the requests in one group, unless its first is larger. A group is copied on its way to the writer, and
 * meanwhile this thread does nothing else; and whoever comes next waits for all of it.
 */
const GROUP_BYTES_MAX = 8 * 1024 * 1024;

const LARGE_BYTES_MIN = 1024 * 1024;

/** Many small values take longer to copy than their bytes suggest. */
const QUERY_VALUE_BYTES = 256;

/** What a write counts for in a group. @param bytes size of the requests that brought it */
export function weightOf({ conditions }: StoreWrite, bytes: number): number {
  let values = 0;
  for (const { failIfEventsMatch } of conditions) values += queryValues(failIfEventsMatch);
  return bytes + values * QUERY_VALUE_BYTES;
}

/**
 * Which of the waiting jobs have the next turn together: the first, and with a write all writes after it, up to the
 * next job that runs alone. A write for which the group has no room lets the others pass. A large one, which makes
 * the others wait, lets smaller ones pass once even as the first.
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

  /** Those of the waiting jobs that may still join a group: from the first on, as long as they are small writes and fit. */
  joining(group: readonly Job[], waiting: readonly Job[]): readonly Job[] {
    let weightBytes = group.reduce((sum, job) => sum + job.weightBytes, 0);
    const roomFor = (job: Job): boolean => (weightBytes += job.weightBytes) <= GROUP_BYTES_MAX;
    const end = waiting.findIndex((job, i) =>
      "run" in job.task || isLarge(job) || group.length + i >= this.#writesMax || !roomFor(job)
    );
    return end < 0 ? waiting : waiting.slice(0, end);
  }

  /** Of the first job, or the writes up to the next job that runs alone, those that are wanted and fit into a group. */
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
