import { table } from "../campaigns/report.ts";
import type { Machine } from "../machine.ts";
import type { Measured } from "../measure.ts";
import { type RowName, rowTitles } from "../report.ts";
import type { Started } from "../start.ts";

/** Rows with an aim, for the machine of docs/performance.md. */
const AIMS: { readonly [Name in RowName]?: string } = {
  oneEvent1: ">= 5,000/s, <= 170 us",
  oneEvent8: ">= 11,000/s, p99 <= 2 ms, <= 90 us",
  oneEvent64: ">= 20,000/s, p99 <= 8 ms, <= 55 us",
  oneEvent256: ">= 22,000/s",
  withReaders: ">= 0.9 of the rate without",
  delivery: "p50 < 5 ms, p99 < 50 ms",
  bulk: ">= 75,000 events/s",
  preload: ">= 90,000 events/s",
  fullScan: ">= 1,000,000 events/s",
  readByArticle1: ">= 5,000/s, <= 150 us",
  readByArticle8: ">= 10,000/s, RSS <= 200 MB",
  readByArticle64: ">= 10,000/s, p99 <= 15 ms",
  readLastOfArticle: "p50 < 1 ms",
  readLast: "p50 < 1 ms",
};

/** The rows of a run in markdown, in the order of the benchmark. */
export function rowsTable(rows: { readonly [Name in RowName]?: Measured }): string {
  const head = [
    "",
    "events/s",
    "requests/s",
    "p50, ms",
    "p99, ms",
    "p99.9, ms",
    "server, us",
    "RSS, MB",
    "aim",
  ];
  const lines = (Object.keys(rowTitles) as RowName[]).flatMap((name) => {
    const row = rows[name];
    return row === undefined ? [] : [[rowTitles[name].trim(), ...cells(row), AIMS[name] ?? ""]];
  });
  return table(head, lines);
}

function cells(row: Measured): string[] {
  return [
    row.eventsPerSecond > 0 ? whole(row.eventsPerSecond) : "",
    whole(row.requestsPerSecond),
    ...[row.p50Milliseconds, row.p99Milliseconds, row.p999Milliseconds].map((value) => value.toFixed(2)),
    row.serverMicroseconds === undefined ? "" : whole(row.serverMicroseconds),
    row.serverRssBytes === undefined ? "" : whole(row.serverRssBytes / 1e6),
  ];
}

export function startTable({ seconds, rssBytes }: Started): string {
  const rss = rssBytes === undefined ? "" : `${whole(rssBytes / 1e6)} MB`;
  return table(["", "measured", "aim"], [
    ["from the start to the first answer", `${seconds.toFixed(2)} s`, "<= 0.15 s"],
    ["memory when idle", rss, "<= 60 MB"],
  ]);
}

export function machineTable(machine: Machine): string {
  return table(["", ""], [
    ["system", machine.system],
    ["processor", `${machine.cores} cores, ${machine.cpu}`],
    ["memory", `${(machine.memoryBytes / 2 ** 30).toFixed(0)} GiB`],
    ["append 4 KiB and fdatasync", `${machine.fdatasyncMilliseconds.toFixed(2)} ms`],
    ["Deno, V8", `${machine.denoVersion}, ${machine.v8Version}`],
    ["SQLite", machine.sqliteVersion],
  ]);
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}
