import { fillDatabase } from "../../store/sqlite/backup/fill_database.ts";
import { initStore } from "../../store/sqlite/data_directory/init_store.ts";
import { importEvents } from "./import_events.ts";

/**
 * Creates a store with the events of an exported file, `-` for standard input.
 * @returns what `initStore` does, and the number of events
 */
export function initFromExport(
  path: string,
  dataDir: string,
): ReturnType<typeof initStore> & { readonly events: number } {
  const isStdin = path === "-";
  const name = isStdin ? "standard input" : path;
  using file = isStdin ? undefined : openExport(path);
  const input = file ?? Deno.stdin;
  let events = 0;
  const store = initStore(dataDir, (db) => {
    try {
      events = fillDatabase(db, importEvents((bytes) => input.readSync(bytes)));
    } catch (error) {
      throw new Error(`${name} was not imported: ${(error as Error).message}`);
    }
  });
  return { ...store, events };
}

function openExport(path: string): Deno.FsFile {
  try {
    return Deno.openSync(path);
  } catch (error) {
    throw new Error(`${path} cannot be read: ${(error as Error).message}`);
  }
}
