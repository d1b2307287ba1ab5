import type { PreparedEvent } from "../../store/prepare_event.ts";
import { fillDatabase } from "../../store/sqlite/backup/fill_database.ts";
import { initStore } from "../../store/sqlite/data_directory/init_store.ts";
import type { ReadBytes } from "./lines.ts";

/**
 * Creates a store with the events of a file, `-` for standard input, all or nothing.
 * @param eventsOf reads them from the bytes of the file, in batches
 * @returns what `initStore` does, and the number of events
 */
export function initFromFile(
  path: string,
  dataDir: string,
  eventsOf: (read: ReadBytes) => Iterable<readonly PreparedEvent[]>,
): ReturnType<typeof initStore> & { readonly events: number } {
  const isStdin = path === "-";
  const name = isStdin ? "standard input" : path;
  using file = isStdin ? undefined : openFile(path);
  const input = file ?? Deno.stdin;
  let events = 0;
  const store = initStore(dataDir, (db) => {
    try {
      events = fillDatabase(db, eventsOf((bytes) => input.readSync(bytes)));
    } catch (error) {
      throw new Error(`${name} was not imported: ${(error as Error).message}`);
    }
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
