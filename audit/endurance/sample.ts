import type { Latencies } from "./latencies.ts";

/** What was measured over a few seconds: a line of the record. */
export interface Sample {
  /** Since the beginning. */
  readonly seconds: number;
  /** How many times the server had been started. */
  readonly life: number;
  /** How many events the store had. */
  readonly events: number;
  readonly rssMib: number;
  readonly descriptors: number;
  readonly databaseBytes: number;
  readonly walBytes: number;
  readonly writes: Latencies;
  readonly reads: Latencies;
  /** How many threads of the machine wanted to run or waited for the disk, over the last minute. */
  readonly loadAverage: number;
  /** The share of all processors that was busy with anything but server, clients and backups, from 0 to 1. */
  readonly othersShare: number;
  /** How long the server's threads waited for a processor, as a share of the time that they ran or waited, from 0 to 1. */
  readonly waitingShare: number;
}

/** The file with the samples of an edition, one in each line. */
export function recordPath(directory: string, edition: string): string {
  return `${directory}/endurance_${edition}.jsonl`;
}
