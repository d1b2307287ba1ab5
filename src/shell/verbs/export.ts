import { type StoredEvent, StoreReset } from "../../../client/mod.ts";
import { walk } from "../../../client/walk.ts";
import type { ShellContext } from "../context.ts";
import { reach } from "../edition.ts";
import { Broken, ShellExit } from "../ends.ts";
import { jsonLine } from "../output/printable.ts";
import { columnsOf } from "../parquet/event_columns.ts";
import { ExportDirectory } from "../parquet/export_directory.ts";

interface Flags {
  readonly parquet: string | undefined;
  readonly json: boolean;
}

/** A file has at most so many events, and about so many characters of payloads, because it is made in memory. */
const EVENTS_MAX = 50_000;
const CHARACTERS_MAX = 32 * 1024 * 1024;

/** Writes the events that a directory does not have yet to Parquet files in it. */
export async function exportEvents(context: ShellContext, { parquet, json }: Flags): Promise<number> {
  const { server } = await reach(context.place);
  // Other verbs do not need the library.
  const { parquetBytes, storeIdIn } = await import("../parquet/parquet_file.ts");
  using directory = new ExportDirectory(parquet!);
  const from = directory.position(storeIdIn);
  let next = (from?.sequence ?? 0) + 1;
  let events: StoredEvent[] = [];
  let characters = 0;
  try {
    for await (const step of walk<Record<string, unknown>>(server, "*", { after: from }, undefined, false)) {
      const { storeId } = step.position;
      for (const event of step.events) {
        events.push(event);
        characters += (event.payload as string).length;
        if (events.length < EVENTS_MAX && characters < CHARACTERS_MAX) continue;
        await add(storeId);
      }
      if (!step.isEnd) continue;
      if (events.length > 0) await add(storeId);
      break;
    }
    return ShellExit.ok;
  } catch (error) {
    if (!(error instanceof StoreReset)) throw error;
    const { position: { storeId } } = error;
    throw new Broken(`${parquet} has events of store ${storeId}; ${error.message}: choose another directory`);
  }

  async function add(storeId: string): Promise<void> {
    const to = events.at(-1)!.sequence;
    const file = directory.add(next, to, parquetBytes(columnsOf(events), storeId));
    const report = { file, events: events.length };
    await context.print(json ? jsonLine(report) : `${file}: ${report.events} events\n`);
    next = to + 1;
    events = [];
    characters = 0;
  }
}
