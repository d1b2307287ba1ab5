import type { PreparedEvent } from "../../store/core/prepare_event.ts";
import { fillDatabase } from "../../store/sqlite/backup/fill_database.ts";
import { initStore } from "../../store/sqlite/data_directory/create_database.ts";
import type { EventFormat } from "./import_events.ts";
import { readLines } from "./lines.ts";

/** A batch ends at the first of these limits. */
export const BATCH_EVENTS_MAX = 5000;
export const BATCH_UNITS_MAX = 4 * 1024 * 1024;

/** A file with events to import; `-` is standard input. */
export class ImportedFile implements Disposable {
  readonly #name: string;
  readonly #file: Deno.FsFile | undefined;

  /** @throws Error when there is no such file, or it cannot be read */
  constructor(path: string) {
    const isStdin = path === "-";
    this.#name = isStdin ? "standard input" : path;
    this.#file = isStdin ? undefined : openFile(path);
  }

  /** Returns its events in batches. @throws Error that names the file and the line at fault */
  *events(format: EventFormat): Generator<readonly PreparedEvent[], void> {
    const input = this.#file ?? Deno.stdin;
    try {
      yield* inBatches(format(readLines((bytes) => input.readSync(bytes))));
    } catch (error) {
      throw new Error(`${this.#name} was not imported: ${(error as Error).message}`);
    }
  }

  [Symbol.dispose](): void {
    this.#file?.close();
  }
}

/**
 * Creates a store with the events of a file, `-` for standard input, all or nothing.
 * @returns what `initStore` does, and the number of events
 */
export function initFromFile(
  path: string,
  dataDir: string,
  format: EventFormat,
): ReturnType<typeof initStore> & { readonly events: number } {
  using file = new ImportedFile(path);
  let events = 0;
  const store = initStore(dataDir, (db) => {
    events = fillDatabase(db, file.events(format));
  });
  return { ...store, events };
}

function openFile(path: string): Deno.FsFile {
  try {
    return Deno.openSync(path);
  } catch (error) {
    throw new Error(`${path} cannot be read: ${(error as Error).message}`);
  }
}

/** Groups events in batches that are large enough for a transaction, and small enough for the memory. */
function* inBatches(events: Iterable<PreparedEvent>): Generator<PreparedEvent[], void> {
  let batch: PreparedEvent[] = [];
  let units = 0;
  for (const event of events) {
    batch.push(event);
    units += event.body.length;
    if (batch.length < BATCH_EVENTS_MAX && units < BATCH_UNITS_MAX) continue;
    yield batch;
    batch = [];
    units = 0;
  }
  if (batch.length > 0) yield batch;
}
