import type { Latencies } from "./latencies.ts";

/** The measurements of a few seconds: a line of the record. */
export interface Sample {
  /** Seconds since the beginning. */
  readonly seconds: number;
  /** The number of times that the server had been started. */
  readonly life: number;
  /** The number of events in the store. */
  readonly events: number;
  readonly rssMib: number;
  readonly descriptors: number;
  readonly databaseBytes: number;
  readonly walBytes: number;
  readonly writes: Latencies;
  readonly reads: Latencies;
  /** The average number of threads on the machine that wanted to run or waited for the disk, over the last minute. */
  readonly loadAverage: number;
  /** The share of all processors that was busy with other programs than server, clients and backups, from 0 to 1. */
  readonly othersShare: number;
  /**
   * The time that the server's threads waited for a processor, as a share of the time that they ran or waited, from 0
   * to 1.
   */
  readonly waitingShare: number;
}

/** The file with the samples of an edition, one in each line. */
export function recordPath(directory: string, edition: string): string {
  return `${directory}/endurance_${edition}.jsonl`;
}
