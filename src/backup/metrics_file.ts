import { syncFile } from "../store/sync_file.ts";
import type { Run } from "./run_summary.ts";

const PREFIX = "service_backup";

interface Metric {
  readonly name: string;
  readonly help: string;
  /** Its value after a run, or undefined to keep the one that stands in the file. */
  readonly value: (run: Run) => number | undefined;
}

const endSeconds = (run: Run): number =>
  Math.round(run.startedAtMilliseconds + run.durationSeconds * 1000) / 1000;

const METRICS: readonly Metric[] = [
  {
    name: "success",
    help: "1 if the last run copied everything, else 0.",
    value: (run) => run.error === undefined ? 1 : 0,
  },
  {
    name: "last_run_timestamp_seconds",
    help: "When the last run ended.",
    value: endSeconds,
  },
  {
    name: "last_success_timestamp_seconds",
    help: "When the last run ended that copied everything.",
    value: (run) => run.error === undefined ? endSeconds(run) : undefined,
  },
  {
    name: "last_sequence",
    help: "Sequence of the last event in the backup.",
    value: (run) => run.lastSequence,
  },
  {
    name: "duration_seconds",
    help: "How long the last run took.",
    value: (run) => run.durationSeconds,
  },
  {
    name: "events_copied",
    help: "Events that the last run copied.",
    value: (run) => run.eventsCopied,
  },
];

/**
 * Writes the metrics of a run for a scraper of text files. What a failed run doesn't know keeps its value from
 * the file; the file is replaced at once, so that a scraper never sees half of it.
 */
export function writeMetricsFile(path: string, run: Run): void {
  const earlier = readValues(path);
  const text = METRICS.map(({ name, help, value }) => {
    const full = `${PREFIX}_${name}`;
    const now = value(run) ?? earlier.get(full);
    return now === undefined ? "" : `# HELP ${full} ${help}\n# TYPE ${full} gauge\n${full} ${now}\n`;
  }).join("");
  // A scraper reads every file of the directory that ends in ".prom".
  const temporary = `${path}.${Deno.pid}.tmp`;
  try {
    Deno.writeTextFileSync(temporary, text);
    // Another user's program reads it, whatever the umask.
    Deno.chmodSync(temporary, 0o644);
    syncFile(temporary);
    Deno.renameSync(temporary, path);
  } catch (error) {
    try {
      Deno.removeSync(temporary);
    } catch {
      // It was never there.
    }
    throw new Error(`the metrics file ${path} can't be written: ${(error as Error).message}`);
  }
}

function readValues(path: string): Map<string, string> {
  let text: string;
  try {
    text = Deno.readTextFileSync(path);
  } catch {
    // The first run, or a file that can't be read; whether it can be written shows soon.
    return new Map();
  }
  return new Map([...text.matchAll(/^(\w+) ([0-9.e+]+)$/gm)].map(([, name, value]) => [name!, value!]));
}
