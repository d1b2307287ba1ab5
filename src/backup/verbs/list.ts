import { found } from "../../files/found.ts";
import { formatTimestamp } from "../../model/timestamp.ts";
import { openForReading } from "../../store/sqlite/connection/connection.ts";
import type { Database } from "../../store/sqlite/connection/database.ts";
import { checkDatabaseFile } from "../../store/sqlite/data_directory/database_file.ts";
import { eventsAt } from "../../store/sqlite/tables/events.ts";
import { readState } from "../../store/sqlite/tables/identity.ts";
import { readOrigin } from "../../store/sqlite/tables/origin.ts";
import { backedUpStoreIds, backupPath } from "../directory/backup_files.ts";
import type { VerbContext, VerbEnd } from "./verb_context.ts";

/** Facts about a backup that need no read of all its events. */
interface Backup {
  readonly storeId: string;
  readonly source?: string | undefined;
  readonly events?: number;
  /** Times of the first and the last event. */
  readonly firstMicros?: number | undefined;
  readonly lastMicros?: number | undefined;
  readonly bytes: number;
  /** Why the rest is unknown. */
  readonly problem?: string;
}

/**
 * Shows the backups of a directory, the one with the newest event last. It takes no lock, so it never blocks a backup.
 * SQLite isolates a run from its readers.
 */
export function list(context: VerbContext, { json }: { json: boolean }): VerbEnd {
  const { dataDir } = context;
  const backups = backedUpStoreIds(dataDir).map((storeId) => lookAt(dataDir, storeId))
    .sort((a, b) => (a.lastMicros ?? 0) - (b.lastMicros ?? 0));
  const problems = backups.flatMap(({ problem }) => problem ?? []);
  if (json) {
    context.print(backups.map(jsonLine).join(""));
  } else {
    context.print(backups.length === 0 ? `no backup in ${dataDir}\n` : table(backups));
    problems.forEach((problem) => context.printError(problem));
  }
  return Promise.resolve(problems.length === 0);
}

function lookAt(dataDir: string, storeId: string): Backup {
  const path = backupPath(dataDir, storeId);
  let bytes = 0;
  try {
    bytes = bytesOf(path);
    checkDatabaseFile(path, { mayBeInUse: true });
    using db = openForReading(path);
    return { storeId, ...contentOf(db), bytes };
  } catch (error) {
    const { message } = error as Error;
    return { storeId, bytes, problem: message.includes(path) ? message : `${path}: ${message}` };
  }
}

function contentOf(db: Database): Pick<Backup, "source" | "events" | "firstMicros" | "lastMicros"> {
  const { head } = readState(db);
  const [first, last = first] = eventsAt(db, [1, head]);
  return {
    source: readOrigin(db)?.source,
    events: head,
    firstMicros: first?.timeMicros,
    lastMicros: last?.timeMicros,
  };
}

/** Returns the size of the file and of its WAL. */
function bytesOf(path: string): number {
  return Deno.statSync(path).size + (found(`${path}-wal`)?.size ?? 0);
}

function jsonLine({ storeId, source, events, firstMicros, lastMicros, bytes, problem }: Backup): string {
  const time = (micros: number | undefined): string | null =>
    micros === undefined ? null : formatTimestamp(micros);
  const known = { storeId, source: source ?? null, events: events ?? null };
  const times = { firstTime: time(firstMicros), lastTime: time(lastMicros) };
  return `${JSON.stringify({ ...known, ...times, bytes, problem: problem ?? null })}\n`;
}

function table(backups: readonly Backup[]): string {
  const rows = [
    ["STORE", "EVENTS", "FIRST", "LAST", "SIZE", "SOURCE"],
    ...backups.map(({ storeId, source, events, firstMicros, lastMicros, bytes }) => [
      storeId,
      events === undefined ? "unreadable" : String(events),
      timeText(firstMicros),
      timeText(lastMicros),
      sizeText(bytes),
      source ?? "-",
    ]),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) => row.map((cell, i) => cell.padEnd(widths[i]!)).join("  ").trimEnd());
  return `${lines.join("\n")}\n`;
}

/** Formats a time to the second, which is precise enough for people. */
function timeText(micros: number | undefined): string {
  return micros === undefined ? "-" : `${formatTimestamp(micros).slice(0, "2026-11-20T12:34:56".length)}Z`;
}

function sizeText(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let size = bytes;
  let unit = 0;
  for (; size >= 1024 && unit < units.length - 1; unit++) size /= 1024;
  return `${unit === 0 ? size : size.toFixed(1)} ${units[unit]}`;
}
