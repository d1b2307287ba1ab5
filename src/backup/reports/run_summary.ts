import { countEvents } from "./count_events.ts";

/** The known facts about a run of the backup program, which may have failed at any point. Null means unknown. */
export class Run {
  error: string | null = null;
  readonly source: string;
  storeId: string | null = null;
  /** The file that contains the backup. */
  file: string | null = null;
  /** True when this run created the file. */
  created = false;
  eventsCopied = 0;
  /** The last sequence of the backup, 0 when it has no events. */
  lastSequence: number | null = null;
  /** Other stores that were copied from the same source before. The source has been reset since. */
  earlierStoreIds: readonly string[] = [];
  durationSeconds = 0;

  constructor(source: string) {
    this.source = source;
  }
}

/** Returns the line for people. */
export function summaryLine(run: Run): string {
  const { eventsCopied, lastSequence, source, file, durationSeconds, created, earlierStoreIds } = run;
  const reset = created && earlierStoreIds.length > 0
    ? `; the source was reset, so this is a new backup, alongside that of ${earlierStoreIds.join(", ")}`
    : "";
  return `copied ${countEvents(eventsCopied)} from ${source} to ${file}, last sequence ${lastSequence}, ` +
    `in ${durationSeconds.toFixed(1)} s${reset}`;
}

/** Returns the line for programs. Every field is always present, in this order. */
export function summaryJson(run: Run): string {
  return `${JSON.stringify({ ok: run.error === null, ...run })}\n`;
}
