import { table } from "../campaigns/report.ts";
import type { Measured } from "../measure.ts";
import { type RowName, rowTitles } from "../report.ts";
import type { Started } from "../start.ts";

/** Rows of reads are missing when there is no event to read. */
export type GrowthRows = { readonly [Name in RowName]?: Measured };

/** The results for a store of one size. */
export interface Size {
  readonly events: number;
  readonly fillSeconds: number;
  readonly databaseBytes: number;
  readonly start: Started;
  readonly rows: GrowthRows;
  /** The same rows on an empty store, or for reads on a small one, measured in alternation. */
  readonly reference: GrowthRows;
}

export const RATIO_AIM = 0.85;
export const CHECK_P99_MILLISECONDS_AIM = 2;

/** The rate of a row divided by its rate on the reference; 1 for an empty store. */
export function ratioOf({ rows, reference }: Size, name: RowName): number | undefined {
  const row = rows[name];
  if (row === undefined) return undefined;
  return row.requestsPerSecond / (reference[name] ?? row).requestsPerSecond;
}

export function rowNamesOf(sizes: readonly Size[]): RowName[] {
  const names = Object.keys(rowTitles) as RowName[];
  return names.filter((name) => sizes.some(({ rows }) => rows[name] !== undefined));
}

/** Tables in markdown: the rates with their ratios to the reference, and the other values that grow. */
export function growthText(sizes: readonly Size[]): string {
  const counts = sizes.map(({ events }) => events.toLocaleString("en"));
  const rows = rowNamesOf(sizes).map((
    name,
  ) => [rowTitles[name], ...sizes.map((size) => ratioText(size, name))]);
  return `${table(["requests/s, server CPU of each, ratio", ...counts], rows)}\n` +
    table(["", ...counts], otherRows(sizes));
}

function ratioText(size: Size, name: RowName): string {
  const [row, ratio] = [size.rows[name], ratioOf(size, name)];
  if (row === undefined || ratio === undefined) return "";
  const rate = `${Math.round(row.requestsPerSecond).toLocaleString("en")}/s`;
  const server = row.serverMicroseconds === undefined ? [] : [`${Math.round(row.serverMicroseconds)} us`];
  const missed = ratio < RATIO_AIM ? " (missed)" : "";
  return [rate, ...server, ratio.toFixed(2) + missed].join(", ");
}

function otherRows(sizes: readonly Size[]): string[][] {
  const row = (title: string, text: (size: Size) => string): string[] => [title, ...sizes.map(text)];
  const p99 = ({ rows }: Size): string => {
    const milliseconds = rows.conditionCheck?.p99Milliseconds;
    if (milliseconds === undefined) return "";
    const missed = milliseconds > CHECK_P99_MILLISECONDS_AIM
      ? ` (aim ${CHECK_P99_MILLISECONDS_AIM} missed)`
      : "";
    return milliseconds.toFixed(2) + missed;
  };
  return [
    row("rejected write, p99 ms", p99),
    row("start, ms", ({ start }) => (start.seconds * 1000).toFixed(0)),
    row("memory when idle, MB", ({ start }) => ((start.rssBytes ?? NaN) / 1e6).toFixed(0)),
    row("database, MB", ({ databaseBytes }) => Math.round(databaseBytes / 1e6).toLocaleString("en")),
    row(
      "filled in process, events/s",
      ({ events, fillSeconds }) => events === 0 ? "" : Math.round(events / fillSeconds).toLocaleString("en"),
    ),
  ];
}
