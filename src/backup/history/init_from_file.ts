import { fillDatabase } from "../../store/sqlite/backup/fill_database.ts";
import { initStore } from "../../store/sqlite/data_directory/create_database.ts";
import { ImportedFile, type ReadEvents } from "./imported_file.ts";

/**
 * Creates a store with the events of a file, `-` for standard input, all or nothing.
 * @returns what `initStore` does, and the number of events
 */
export function initFromFile(
  path: string,
  dataDir: string,
  eventsOf: ReadEvents,
): ReturnType<typeof initStore> & { readonly events: number } {
  using file = new ImportedFile(path);
  let events = 0;
  const store = initStore(dataDir, (db) => {
    events = fillDatabase(db, file.events(eventsOf));
  });
  return { ...store, events };
}
