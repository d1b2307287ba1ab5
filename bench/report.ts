import type { Measured } from "./measure.ts";
import type { Started } from "./start.ts";

export const rowTitles = {
  readByArticle1: "read 10 events of a tag, 1 client",
  readByArticle8: "read 10 events of a tag, 8 clients",
  readByArticle64: "read 10 events of a tag, 64 clients",
  readLastOfArticle: "read the last event of a tag, 1 client",
  readLast: "read the last event, or of a type, 1 client",
  readByOrder: "read one order, 4 clients",
  readByTypeAndCustomer: "read one type and customer, 4 clients",
  fullScan: "scan the store in pages of 10,000, 1 client",
  pageRead: "baseline: page read in process",
  conditionCheck: "write that its condition rejects, 1 client",
  oneEvent1: "write 1 event on a condition, 1 client",
  oneEvent8: "write 1 event on a condition, 8 clients",
  oneEvent64: "write 1 event on a condition, 64 clients",
  oneEvent256: "write 1 event on a condition, 256 clients",
  withReaders: "write 1 event, 1,000 waiting readers",
  delivery: "from a write to one of 100 waiting readers",
  speedrun: "speedrun: read, decide, write, 16 clients",
  transaction: "read, write 1 event, commit (B), 64 clients",
  tickets1: "begin, append, commit (C), 1 client",
  handovers1: "  from a commit to the next ticket",
  tickets16: "begin, append, commit (C), 16 clients",
  handovers16: "  from a commit to the next ticket",
  tickets64: "begin, append, commit (C), 64 clients",
  handovers64: "  from a commit to the next ticket",
  oneEventUngrouped: "baseline: 1 event each, groups of one",
  bareTransport: "baseline: bare transport, 64 clients",
  diskSync: "baseline: append 4 KiB and fdatasync",
  bulk: "write 100 events, 16 clients",
  preload: "write 100 events, 4 clients",
  insertLoop: "baseline: insert loop in process",
} as const;

export type RowName = keyof typeof rowTitles;

/** Every row of the benchmark. conditionCheck belongs to the growth campaign only. */
export type Results = Readonly<Record<Exclude<RowName, "conditionCheck">, Measured>>;

/** A number that can be compared between runs. */
export interface Ratio {
  readonly title: string;
  readonly value: number;
  /** The least that is aimed at, if there is an aim. */
  readonly aim?: number;
}

export function ratiosOf(results: Results): Ratio[] {
  const { oneEvent64, withReaders, transaction, tickets64, oneEventUngrouped, bulk, fullScan } = results;
  const { insertLoop, pageRead, bareTransport, diskSync } = results;
  return [
    {
      title: "1 event: groups / groups of one",
      value: oneEvent64.eventsPerSecond / oneEventUngrouped.eventsPerSecond,
      aim: 6,
    },
    {
      title: "1 event: with 1,000 readers / without",
      value: withReaders.eventsPerSecond / oneEvent64.eventsPerSecond,
      aim: 0.9,
    },
    { title: "100 events / insert loop", value: bulk.eventsPerSecond / insertLoop.eventsPerSecond, aim: 0.6 },
    { title: "scan / page read", value: fullScan.eventsPerSecond / pageRead.eventsPerSecond, aim: 0.4 },
    {
      title: "transaction of edition B / 1 event",
      value: transaction.eventsPerSecond / oneEvent64.eventsPerSecond,
    },
    {
      title: "transaction of edition C / 1 event",
      value: tickets64.eventsPerSecond / oneEvent64.eventsPerSecond,
    },
    {
      title: "transaction of edition C / fdatasync",
      value: tickets64.requestsPerSecond / diskSync.requestsPerSecond,
    },
    {
      title: "1 event / bare transport (requests)",
      value: oneEvent64.requestsPerSecond / bareTransport.requestsPerSecond,
    },
    {
      title: "groups of one / fdatasync (requests)",
      value: oneEventUngrouped.requestsPerSecond / diskSync.requestsPerSecond,
    },
  ];
}

const COLUMN_WIDTHS = [43, 10, 11, 9, 9, 9, 9, 7];

/** The head of the table of rows. */
export const headText = line([
  "",
  "events/s",
  "requests/s",
  "p50 ms",
  "p99 ms",
  "p999 ms",
  "srv us",
  "RSS MB",
]);

/** The line of one row, with its additional values. */
export function rowText(name: RowName, measured: Measured): string {
  const { eventsPerSecond, requestsPerSecond, serverMicroseconds, serverRssBytes, conflictsPerSecond } =
    measured;
  const { p50Milliseconds, p99Milliseconds, p999Milliseconds } = measured;
  const row = line([
    rowTitles[name],
    eventsPerSecond > 0 ? whole(eventsPerSecond) : "",
    whole(requestsPerSecond),
    ...[p50Milliseconds, p99Milliseconds, p999Milliseconds].map((value) => value.toFixed(2)),
    serverMicroseconds === undefined ? "" : whole(serverMicroseconds),
    serverRssBytes === undefined ? "" : whole(serverRssBytes / 1e6),
  ]);
  if (conflictsPerSecond === undefined) return row;
  return row + line(["  conflicts", "", whole(conflictsPerSecond)]);
}

/** The line about the start on a filled store. */
export function startText({ seconds, rssBytes }: Started): string {
  const memory = rssBytes === undefined ? "" : `, ${whole(rssBytes / 1e6)} MB of memory when idle`;
  return `first answer ${(seconds * 1000).toFixed(0)} ms after the start${memory}\n\n`;
}

/** The table of the ratios with their aims. */
export function ratiosText(results: Results): string {
  const lines = ratiosOf(results).map(({ title, value, aim }) =>
    aim === undefined
      ? line([title, value.toFixed(2)])
      : line([title, value.toFixed(2), `>= ${aim}`, value >= aim ? "met" : "missed"])
  );
  return line(["", "ratio", "aim"]) + lines.join("");
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}

/** The first cell is flush left, the others are flush right. */
function line(cells: readonly string[]): string {
  const [title = "", ...numbers] = cells;
  const padded = numbers.map((cell, i) => cell.padStart(COLUMN_WIDTHS[i + 1]!));
  return `${[title.padEnd(COLUMN_WIDTHS[0]!), ...padded].join("  ").trimEnd()}\n`;
}
