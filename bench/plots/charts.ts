import { ratioOf, type Size } from "../growth/report.ts";
import type { Measured } from "../measure.ts";
import { type RowName, rowTitles } from "../report.ts";
import type { LineChart, Series } from "./line_chart.ts";

type Rows = { readonly [Name in RowName]?: Measured };

const CLIENTS = [1, 8, 64, 256] as const;

/** The rows of one workload by the number of its clients. */
const WRITES: readonly RowName[] = ["oneEvent1", "oneEvent8", "oneEvent64", "oneEvent256"];
const READS: readonly RowName[] = ["readByArticle1", "readByArticle8", "readByArticle64"];

const GROWING: readonly RowName[] = [
  "oneEvent1",
  "oneEvent64",
  "bulk",
  "readByArticle1",
  "readByArticle64",
  "fullScan",
];

/** The charts of one run of the benchmark, by the names of their files. */
export function chartsOfRun(rows: Rows): Record<string, LineChart> {
  return {
    throughput: {
      title: "Throughput by number of clients",
      xTitle: "clients",
      yTitle: "requests/s",
      xLabels: CLIENTS.map(String),
      series: [
        over("write 1 event on a condition", WRITES, (name) => rows[name]?.requestsPerSecond),
        over("read the 10 events of a tag", READS, (name) => rows[name]?.requestsPerSecond),
      ],
    },
    latency_of_writes: latencies("Latency of writes of 1 event on a condition", WRITES, rows),
    latency_of_reads: latencies("Latency of reads of the 10 events of a tag", READS, rows),
  };
}

function latencies(title: string, names: readonly RowName[], rows: Rows): LineChart {
  return {
    title,
    xTitle: "clients",
    yTitle: "milliseconds",
    xLabels: names.map((_, i) => String(CLIENTS[i])),
    logarithmic: true,
    series: [
      over("p50", names, (name) => rows[name]?.p50Milliseconds),
      over("p99", names, (name) => rows[name]?.p99Milliseconds),
      over("p99.9", names, (name) => rows[name]?.p999Milliseconds),
    ],
  };
}

function over(name: string, names: readonly RowName[], value: (name: RowName) => number | undefined): Series {
  return { name, values: names.map(value) };
}

/** The chart of the growth campaign. */
export function chartOfGrowth(sizes: readonly Size[]): LineChart {
  return {
    title: "Rate by events stored, as a share of an empty or small store's",
    xTitle: "events stored before the run",
    yTitle: "share",
    xLabels: sizes.map(({ events }) => events.toLocaleString("en")),
    series: GROWING.map((name) => ({
      name: rowTitles[name],
      values: sizes.map((size) => ratioOf(size, name)),
    })),
  };
}
