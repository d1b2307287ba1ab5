import { rejectIrregular } from "../../files/is_there.ts";
import { NewFile } from "../../files/new_file.ts";
import type { Run } from "./run_summary.ts";

const PREFIX = "service_backup";

interface Metric {
  readonly name: string;
  readonly help: string;
  /** Returns its value after a run, or null to keep the value in the file. */
  readonly value: (run: Run, endSeconds: number) => number | null;
}

const METRICS: readonly Metric[] = [
  {
    name: "success",
    help: "1 if the last run copied everything, else 0.",
    value: ({ error }) => error === null ? 1 : 0,
  },
  {
    name: "last_run_timestamp_seconds",
    help: "When the last run ended.",
    value: (_, endSeconds) => endSeconds,
  },
  {
    name: "last_success_timestamp_seconds",
    help: "When the last run that copied everything ended.",
    value: ({ error }, endSeconds) => error === null ? endSeconds : null,
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
 * Writes the metrics of a run for a scraper of text files. Values that a failed run does not know are copied from the
 * old file. The file is replaced atomically, so a scraper never sees half of it.
 */
export function writeMetricsFile(path: string, run: Run): void {
  writeText(path, () => metricsText(run, readValues(path)));
}

/** Writes the metric of a copy of the keys that succeeded, into a file of its own. */
export function writeKeysMetricsFile(path: string): void {
  const name = "service_keys_last_success_timestamp_seconds";
  writeText(path, () => gauge(name, "When the last copy of the keys succeeded.", Date.now() / 1000));
}

function writeText(path: string, text: () => string): void {
  try {
    // If the rename replaced a link, the file at its target, which the scraper may read, would never be updated.
    rejectIrregular(path);
    const content = text();
    // Another user's program reads the file. It ignores the temporary name, which does not end in ".prom".
    using file = new NewFile(path, 0o644);
    file.write(content);
    file.keep();
  } catch (error) {
    throw new Error(`the metrics file ${path} cannot be written: ${(error as Error).message}`);
  }
}

function metricsText(run: Run, earlier: ReadonlyMap<string, string>): string {
  const endSeconds = Date.now() / 1000;
  return METRICS.map(({ name, help, value }) => {
    const full = `${PREFIX}_${name}`;
    const now = value(run, endSeconds) ?? earlier.get(full);
    return now === undefined ? "" : gauge(full, help, now);
  }).join("");
}

function gauge(name: string, help: string, value: number | string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name} ${value}\n`;
}

function readValues(path: string): Map<string, string> {
  let text: string;
  try {
    text = Deno.readTextFileSync(path);
  } catch {
    // This is the first run, or the file cannot be read. In that case, writing it will report why.
    return new Map();
  }
  return new Map([...text.matchAll(/^(\w+) ([0-9.e+]+)$/gm)].map(([, name, value]) => [name!, value!]));
}
