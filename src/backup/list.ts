import { formatTimestamp } from "../model/timestamp.ts";
import { openForReading } from "../store/connection.ts";
import type { Database } from "../store/database.ts";
import { checkDatabaseFile } from "../store/database_file.ts";
import { eventsAt } from "../store/events.ts";
import { readState } from "../store/identity.ts";
import { readOrigin } from "../store/origin.ts";
import { targetPath, targetStoreIds } from "./targets.ts";
import type { VerbCall, VerbEnd } from "./verb_call.ts";

/** What there is to know about a backup without reading all of it. */
interface Target {
  readonly storeId: string;
  readonly source: string | undefined;
  readonly events: number | undefined;
  /** Times of the first and the last event. */
  readonly firstMicros: number | undefined;
  readonly lastMicros: number | undefined;
  readonly bytes: number;
  /** Why the rest is unknown. */
  readonly problem: string | undefined;
}

/**
 * Shows the backups of a directory, the one with the newest event last. It takes no lock, so that it stands in
 * the way of no backup; SQLite keeps a run apart from its readers.
 */
export function list(call: VerbCall): VerbEnd {
  const targets = targetStoreIds(call.dataDir).map((storeId) => lookAt(call.dataDir, storeId))
    .sort((a, b) => (a.lastMicros ?? 0) - (b.lastMicros ?? 0));
  if (call.flags.json) { for (const target of targets) call.print(jsonLine(target)); }
  else call.print(targets.length === 0 ? `no backup in ${call.dataDir}\n` : table(targets));
  const unreadable = targets.filter(({ problem }) => problem !== undefined);
  if (!call.flags.json) { for (const { problem } of unreadable) call.printError(problem!); }
  return Promise.resolve(unreadable.length === 0);
}

function lookAt(dataDir: string, storeId: string): Target {
  const path = targetPath(dataDir, storeId);
  const unknown = { source: undefined, events: undefined, firstMicros: undefined, lastMicros: undefined };
  let bytes = 0;
  try {
    bytes = bytesOf(path);
    checkDatabaseFile(path);
    const db = openForReading(path);
    try {
      return { storeId, ...contentOf(db), bytes, problem: undefined };
    } finally {
      db.close();
    }
  } catch (error) {
    const { message } = error as Error;
    return { storeId, ...unknown, bytes, problem: message.includes(path) ? message : `${path}: ${message}` };
  }
}

function contentOf(db: Database): Pick<Target, "source" | "events" | "firstMicros" | "lastMicros"> {
  const { head } = readState(db);
  const [first, last = first] = eventsAt(db, [1, head]);
  return { source: readOrigin(db)?.source, events: head, firstMicros: first?.[1], lastMicros: last?.[1] };
}

/** The file together with what is still in its WAL. */
function bytesOf(path: string): number {
  const { size } = Deno.statSync(path);
  try {
    return size + Deno.statSync(`${path}-wal`).size;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return size;
    throw error;
  }
}

function jsonLine({ storeId, source, events, firstMicros, lastMicros, bytes, problem }: Target): string {
  const time = (micros: number | undefined): string | null =>
    micros === undefined ? null : formatTimestamp(micros);
  const known = { storeId, source: source ?? null, events: events ?? null };
  const times = { firstTime: time(firstMicros), lastTime: time(lastMicros) };
  return `${JSON.stringify({ ...known, ...times, bytes, problem: problem ?? null })}\n`;
}

function table(targets: readonly Target[]): string {
  const rows = [
    ["STORE", "EVENTS", "FIRST", "LAST", "SIZE", "SOURCE"],
    ...targets.map(({ storeId, source, events, firstMicros, lastMicros, bytes }) => [
      storeId,
      events === undefined ? "unreadable" : String(events),
      timeText(firstMicros),
      timeText(lastMicros),
      sizeText(bytes),
      source ?? "-",
    ]),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) => row.map((cell, i) => cell.padEnd(widths[i]!)).join("  ").trimEnd() + "\n").join(
    "",
  );
}

/** To the second, which is enough for people. */
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
