import { median } from "../../bench/campaigns/report.ts";
import type { LineChart, Series } from "../../bench/plots/line_chart.ts";
import type { Sample } from "./sample.ts";

/** More points would overlap. */
const POINTS = 20;

type Records = Readonly<Record<string, readonly Sample[]>>;

const MIB = 2 ** 20;

/** Returns the charts of a recorded run, by their file names. @param records the samples of each edition */
export function chartsOf(records: Records): Record<string, LineChart> {
  const chart = (title: string, yTitle: string, ...lines: readonly Line[]): LineChart => ({
    title,
    xTitle: "minutes",
    yTitle,
    xLabels: minutesOf(records),
    series: lines.flatMap((line) => seriesOf(records, line)),
  });
  const latencies = (kind: "writes" | "reads"): readonly Line[] => [
    { name: "median", ofPart: (part) => middle(part, (sample) => sample[kind].medianMilliseconds) },
    { name: "p99", ofPart: (part) => middle(part, (sample) => sample[kind].p99Milliseconds) },
  ];
  return {
    endurance_memory: chart("Memory of the server (highest)", "MiB", highest(({ rssMib }) => rssMib)),
    endurance_descriptors: chart(
      "Open descriptors of the server (highest)",
      "descriptors",
      highest(({ descriptors }) => descriptors),
    ),
    endurance_files: chart(
      "Size of events.db (last) and of its write-ahead log (highest)",
      "MiB",
      { name: "events.db", ofPart: (part) => part.at(-1)!.databaseBytes / MIB },
      { ...highest(({ walBytes }) => walBytes / MIB), name: "log" },
    ),
    endurance_writes: {
      ...chart("Latency of acts of writing (median of samples)", "milliseconds", ...latencies("writes")),
      logarithmic: true,
    },
    endurance_reads: {
      ...chart("Latency of reads (median of samples)", "milliseconds", ...latencies("reads")),
      logarithmic: true,
    },
    endurance_waiting: chart(
      "How long the server waited for a processor (median)",
      "share of the time that it ran or waited",
      { name: "", ofPart: (part) => middle(part, ({ waitingShare }) => waitingShare) },
    ),
  };
}

interface Line {
  readonly name: string;
  readonly ofPart: (part: readonly Sample[]) => number | undefined;
}

function highest(value: (sample: Sample) => number): Line {
  return { name: "", ofPart: (part) => Math.max(...part.map(value)) };
}

function middle(part: readonly Sample[], value: (sample: Sample) => number | undefined): number | undefined {
  const values = part.map(value).filter((value) => value !== undefined);
  return values.length === 0 ? undefined : median(values);
}

/** The end of all records in seconds. */
function lengthOf(records: Records): number {
  return Math.max(...Object.values(records).map((samples) => samples.at(-1)?.seconds ?? 0));
}

function minutesOf(records: Records): string[] {
  const length = lengthOf(records) / 60;
  return Array.from({ length: POINTS }, (_, i) => {
    const minute = (i + 1) * length / POINTS;
    return length < POINTS ? minute.toFixed(1) : String(Math.round(minute));
  });
}

function seriesOf(records: Records, { name, ofPart }: Line): Series[] {
  const seconds = lengthOf(records) / POINTS;
  return Object.entries(records).map(([edition, samples]) => ({
    name: `edition ${edition}${name === "" ? "" : `, ${name}`}`,
    values: Array.from({ length: POINTS }, (_, i) => {
      const part = samples.filter((sample) => Math.ceil(sample.seconds / seconds) === i + 1);
      return part.length === 0 ? undefined : ofPart(part);
    }),
  }));
}
