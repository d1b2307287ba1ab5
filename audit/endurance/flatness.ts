import { median } from "../../bench/campaigns/report.ts";
import type { Sample } from "./sample.ts";

/** With fewer samples in a quarter, results would be due to chance. */
const SAMPLES_MIN = 20;

/**
 * Latencies are checked only while the server waits for a processor no longer than it runs. Alone on two processors it
 * waits for a third to a half of its running time. Programs of the idle class (chrt --idle) do not make that longer. In
 * parallel with three busy programs of its own class it waits longer than it runs.
 */
const WAITING_MAX = 0.5;

/** The maximum of the later part, given the earlier one: a multiple of it, plus a constant. */
interface Bound {
  readonly times: number;
  readonly more: number;
  readonly unit: string;
}

const BOUNDS = {
  memory: { times: 1.2, more: 16, unit: "MiB" },
  descriptors: { times: 1, more: 8, unit: "" },
  "write-ahead log": { times: 1.5, more: 4 * 2 ** 20, unit: "bytes" },
  "growth of the file": { times: 1.5, more: 0, unit: "bytes per event" },
  "median of writes": { times: 1.5, more: 1, unit: "ms" },
  "p99 of writes": { times: 2, more: 5, unit: "ms" },
  "median of reads": { times: 1.5, more: 1, unit: "ms" },
  "p99 of reads": { times: 2, more: 5, unit: "ms" },
} as const satisfies Record<string, Bound>;

type Name = keyof typeof BOUNDS;

/**
 * The growth of memory allowed at the end. Heaps and caches stop growing within about half an hour. Growth after that
 * is a leak, even when it is too slow to show between two quarters.
 */
const GROWTH_MAX = 30;

/** In a shorter time, such a growth is smaller than the usual variation of memory. */
const GROWTH_SECONDS_MIN = 15 * 60;

export interface Flatness {
  /** The measures that have grown, in words. Empty when everything stayed flat. */
  readonly faults: readonly string[];
  /** True when there were enough samples for a result. */
  readonly isJudged: boolean;
  /** True when the server got its processor, so that latencies were checked as well. */
  readonly isTimeChecked: boolean;
  /** The growth of memory in the last third, in MiB an hour, when that third was long enough to measure it. */
  readonly growth?: number;
}

/**
 * Compares the last quarter of the last life of a server with its second quarter. In the first quarter it warms up.
 * Latencies are compared only between samples during which the server got its processor.
 */
export function flatnessOf(samples: readonly Sample[]): Flatness {
  const life = samples.filter(({ life }) => life === samples.at(-1)?.life);
  const quarter = Math.floor(life.length / 4);
  if (quarter < SAMPLES_MIN) return { faults: [], isJudged: false, isTimeChecked: false };
  const [earlier, later] = [life.slice(quarter, 2 * quarter), life.slice(-quarter)];
  const faults = [
    compare("memory", earlier, later, (part) => median(part.map(({ rssMib }) => rssMib))),
    compare("descriptors", earlier, later, (part) => median(part.map(({ descriptors }) => descriptors))),
    compare("write-ahead log", earlier, later, (part) => Math.max(...part.map(({ walBytes }) => walBytes))),
    compare("growth of the file", earlier, later, bytesPerEvent),
  ];
  const [servedEarlier, servedLater] = [earlier, later].map(served);
  const isTimeChecked = Math.min(servedEarlier!.length, servedLater!.length) >= SAMPLES_MIN / 2;
  if (isTimeChecked) {
    for (const kind of ["writes", "reads"] as const) {
      const medians = medianOf((sample) => sample[kind].medianMilliseconds);
      const p99s = medianOf((sample) => sample[kind].p99Milliseconds);
      faults.push(compare(`median of ${kind}`, servedEarlier!, servedLater!, medians));
      faults.push(compare(`p99 of ${kind}`, servedEarlier!, servedLater!, p99s));
    }
  }
  const growth = growthOf(life.slice(-Math.floor(life.length / 3)));
  if (growth !== undefined && !(growth <= GROWTH_MAX)) {
    faults.push(
      `memory grows by ${Math.round(growth)} MiB an hour in the last third, and may by ${GROWTH_MAX}`,
    );
  }
  return {
    faults: faults.filter((fault) => fault !== undefined),
    isJudged: true,
    isTimeChecked,
    ...growth === undefined ? {} : { growth },
  };
}

/** The median of the slopes between samples that are far apart. Single peaks do not affect it. */
function growthOf(part: readonly Sample[]): number | undefined {
  if (part.at(-1)!.seconds - part[0]!.seconds < GROWTH_SECONDS_MIN) return undefined;
  const distance = Math.floor(part.length / 3);
  return median(
    part.slice(distance).flatMap((later, i) =>
      part.slice(0, i + 1).map((earlier) =>
        3600 * (later.rssMib - earlier.rssMib) / (later.seconds - earlier.seconds)
      )
    ),
  );
}

function served(samples: readonly Sample[]): readonly Sample[] {
  return samples.filter(({ waitingShare }) => waitingShare <= WAITING_MAX);
}

function bytesPerEvent(part: readonly Sample[]): number {
  const [first, last] = [part[0]!, part.at(-1)!];
  return (last.databaseBytes - first.databaseBytes) / (last.events - first.events);
}

function medianOf(value: (sample: Sample) => number | undefined): (part: readonly Sample[]) => number {
  return (part) => median(part.map(value).filter((value) => value !== undefined));
}

function compare(
  name: Name,
  earlier: readonly Sample[],
  later: readonly Sample[],
  value: (part: readonly Sample[]) => number,
): string | undefined {
  const [before, after] = [value(earlier), value(later)];
  const { times, more, unit }: Bound = BOUNDS[name];
  const most = before * times + more;
  // Values that cannot be compared are not flat.
  if (Number.isFinite(after) && after <= most) return undefined;
  const [was, is, may] = [before, after, most].map((value) => `${Math.round(value * 100) / 100}`);
  return `${name}: ${was} ${unit} in the second quarter, ${is} in the last, which may be ${may}`;
}
