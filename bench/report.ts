import type { Measured } from "./measure.ts";

/** Every row of the benchmark. */
export interface Results {
  readonly diskSync: Measured;
  readonly bareTransport: Measured;
  readonly insertLoop: Measured;
  readonly pageRead: Measured;
  readonly oneEvent: Measured;
  readonly transaction: Measured;
  readonly tickets1: Measured;
  readonly handovers1: Measured;
  readonly tickets16: Measured;
  readonly handovers16: Measured;
  readonly tickets64: Measured;
  readonly handovers64: Measured;
  readonly oneEventUngrouped: Measured;
  readonly bulk: Measured;
  readonly fullScan: Measured;
  readonly readByOrder: Measured;
  readonly readByTypeAndCustomer: Measured;
}

export type RowName = keyof Results;

const rowTitles: Readonly<Record<RowName, string>> = {
  oneEvent: "write 1 event on a condition, 64 clients",
  transaction: "read, write 1 event, commit (B), 64 clients",
  tickets1: "begin, append, commit (C), 1 client",
  handovers1: "  from a commit to the next ticket",
  tickets16: "begin, append, commit (C), 16 clients",
  handovers16: "  from a commit to the next ticket",
  tickets64: "begin, append, commit (C), 64 clients",
  handovers64: "  from a commit to the next ticket",
  bulk: "write 100 events, 16 clients",
  fullScan: "scan the store in pages of 10,000, 1 client",
  readByOrder: "read one order, 4 clients",
  readByTypeAndCustomer: "read one type and customer, 4 clients",
  diskSync: "yardstick: append 4 KiB and fdatasync",
  bareTransport: "yardstick: bare transport, 64 clients",
  oneEventUngrouped: "yardstick: 1 event each, groups of one",
  insertLoop: "yardstick: insert loop in process",
  pageRead: "yardstick: page read in process",
};

/** One number of a run that can be compared to that of another run. */
export interface Ratio {
  readonly title: string;
  readonly value: number;
  /** At least this is aimed at, where there is an aim. */
  readonly aim?: number;
}

export function ratiosOf(results: Results): Ratio[] {
  const { oneEvent, transaction, tickets64, oneEventUngrouped, bulk, fullScan } = results;
  const { insertLoop, pageRead, bareTransport, diskSync } = results;
  return [
    {
      title: "1 event: groups / groups of one",
      value: oneEvent.eventsPerSecond / oneEventUngrouped.eventsPerSecond,
      aim: 6,
    },
    { title: "100 events / insert loop", value: bulk.eventsPerSecond / insertLoop.eventsPerSecond, aim: 0.6 },
    { title: "scan / page read", value: fullScan.eventsPerSecond / pageRead.eventsPerSecond, aim: 0.4 },
    {
      title: "transaction of edition B / 1 event",
      value: transaction.eventsPerSecond / oneEvent.eventsPerSecond,
    },
    {
      title: "transaction of edition C / 1 event",
      value: tickets64.eventsPerSecond / oneEvent.eventsPerSecond,
    },
    {
      title: "transaction of edition C / fdatasync",
      value: tickets64.requestsPerSecond / diskSync.requestsPerSecond,
    },
    {
      title: "1 event / bare transport (requests)",
      value: oneEvent.requestsPerSecond / bareTransport.requestsPerSecond,
    },
    {
      title: "groups of one / fdatasync (requests)",
      value: oneEventUngrouped.requestsPerSecond / diskSync.requestsPerSecond,
    },
  ];
}

const COLUMN_WIDTHS = [43, 10, 11, 9, 9];

/** The head of the table of rows. */
export const headText = line(["", "events/s", "requests/s", "p50 ms", "p99 ms"]);

/** The line of one row. */
export function rowText(name: RowName, measured: Measured): string {
  const { eventsPerSecond, requestsPerSecond, p50Milliseconds, p99Milliseconds } = measured;
  return line([
    rowTitles[name],
    eventsPerSecond > 0 ? whole(eventsPerSecond) : "",
    whole(requestsPerSecond),
    p50Milliseconds.toFixed(2),
    p99Milliseconds.toFixed(2),
  ]);
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
