import { backupProgram } from "../config/programs.ts";
import { countEvents } from "./count_events.ts";

/** What is known of a run of the backup program, which may have failed at any point. */
export interface Run {
  readonly source: string;
  readonly startedAtMilliseconds: number;
  durationSeconds: number;
  error: string | undefined;
  storeId: string | undefined;
  /** The file that holds the backup. */
  file: string | undefined;
  /** Whether this run made the file. */
  created: boolean;
  eventsCopied: number;
  /** Of the backup, 0 when it holds no event. */
  lastSequence: number | undefined;
  /** Other stores that were copied from the same source before: it has been reset since. */
  earlierStoreIds: readonly string[];
}

/** The line for people. */
export function summaryLine(run: Run): string {
  const { eventsCopied, lastSequence, source, file, durationSeconds, created, earlierStoreIds } = run;
  const reset = created && earlierStoreIds.length > 0
    ? `; the source was reset, so this is a new backup beside that of ${earlierStoreIds.join(", ")}`
    : "";
  return `${backupProgram.name}: copied ${
    countEvents(eventsCopied)
  } from ${source} to ${file}, last sequence ${lastSequence}, ` +
    `in ${durationSeconds.toFixed(1)} s${reset}\n`;
}

/** The line for programs; every field is always there. */
export function summaryJson(run: Run): string {
  const { source, durationSeconds, error, storeId, file, created, eventsCopied, lastSequence } = run;
  return `${
    JSON.stringify({
      ok: error === undefined,
      error: error ?? null,
      source,
      storeId: storeId ?? null,
      file: file ?? null,
      created,
      eventsCopied,
      lastSequence: lastSequence ?? null,
      earlierStoreIds: run.earlierStoreIds,
      durationSeconds,
    })
  }\n`;
}
