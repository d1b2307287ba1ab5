import type { Query } from "../filter/query.ts";
import type { EventsRequest, LinesPage } from "../store/store_calls.ts";
import { type Bounds, requestOf } from "../timeline/time_bounds.ts";
import { CSV_HEAD, csvLine } from "./csv.ts";

/** The events of a list, in its order. */
export interface ListRange extends Bounds {
  readonly query: Query;
  readonly isOldestFirst: boolean;
}

/** A file has at most so many events, and about so many bytes, since the browser holds it in memory. */
export const FILE_MAX = { events: 100_000, bytes: 100_000_000 };

const PAGE = 500;

/** A format of a file of events. */
export interface FileFormat {
  readonly name: string;
  readonly extension: string;
  readonly mediaType: string;
  /** The beginning of the file. */
  readonly head: string;
  /** Makes a line of the file of a line of the store. */
  lineOf(line: string): string;
}

export const FORMATS: readonly FileFormat[] = [
  {
    name: "NDJSON",
    extension: "ndjson",
    mediaType: "application/x-ndjson",
    head: "",
    lineOf: (line) => `${line}\n`,
  },
  {
    name: "CSV",
    extension: "csv",
    mediaType: "text/csv;charset=utf-8",
    head: CSV_HEAD,
    lineOf: (line) => csvLine(JSON.parse(line)),
  },
];

export interface EventFile {
  readonly parts: readonly string[];
  readonly count: number;
  /** True when the list has more events than the file may have. */
  readonly isCut: boolean;
}

export interface FileOptions {
  readonly format: FileFormat;
  readonly max?: typeof FILE_MAX;
  read(request: EventsRequest): Promise<LinesPage>;
  /** Called after each page with the number of events so far. */
  onProgress(count: number): void;
}

/** Reads the events of a list, page after page. Events that come meanwhile are left out. */
export async function eventFile(range: ListRange, options: FileOptions): Promise<EventFile> {
  const { format, max = FILE_MAX, read, onProgress } = options;
  const { query, isOldestFirst } = range;
  let { after, before } = range;
  const parts = [format.head];
  let [count, bytes] = [0, 0];
  for (;;) {
    const limit = Math.min(PAGE, max.events - count);
    if (limit === 0 || bytes >= max.bytes) return { parts, count, isCut: true };
    const { lines, hasMore, head } = await read({
      query,
      limit,
      ...requestOf({ after, before }),
      ...isOldestFirst ? {} : { backwards: true },
    });
    before = Math.min(before, head + 1);
    const text = lines.map(format.lineOf).join("");
    parts.push(text);
    count += lines.length;
    bytes += text.length;
    onProgress(count);
    if (!hasMore) return { parts, count, isCut: false };
    const { sequence } = JSON.parse(lines.at(-1)!);
    if (isOldestFirst) after = sequence;
    else before = sequence;
  }
}
