import type { ProjectionReplace } from "../../model/projection.ts";
import type { StoredSubject } from "../../store/api/store.ts";
import type { ImportBatch } from "../../store/core/import_batch.ts";
import type { PreparedEvent } from "../../store/core/prepare_event.ts";
import { fillDatabase } from "../../store/sqlite/backup/fill_database.ts";
import { initStore } from "../../store/sqlite/data_directory/create_database.ts";
import { changeStoreId } from "../../store/sqlite/tables/identity.ts";
import type { ImportFormat } from "./import_events.ts";
import { readLines } from "./lines.ts";

/** A batch ends at the first of these limits. */
export const BATCH_ITEMS_MAX = 5000;
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

  /** Returns its content in batches. @throws Error that names the file and the line at fault */
  *batches(format: ImportFormat): Generator<ImportBatch, void> {
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

/** A file to import, and how. */
export interface Import {
  /** `-` for standard input. */
  readonly path: string;
  readonly format: ImportFormat;
  /** Subjects whose keys were made in another store. */
  readonly subjects: readonly StoredSubject[];
  /** Returns the store ID to keep, if there is one, when the file has been read. */
  readonly keptId: () => string | undefined;
  /** Returns a line about the keys of subjects, when the file has been read; an empty text when there are none. */
  readonly keysText: () => string;
}

/** Returns the whole content of the new store in batches. */
export function* importBatches(
  file: ImportedFile,
  { format, subjects }: Import,
): Generator<ImportBatch, void> {
  if (subjects.length > 0) yield { events: [], projections: [], subjects };
  yield* file.batches(format);
}

/**
 * Creates a store with the content of a file, all or nothing.
 * @param subjectNames the identifiers that stand for a person; payloads of their events are encrypted
 * @returns what `initStore` does, and the number of events
 */
export function initFromFile(
  dataDir: string,
  imported: Import,
  subjectNames: readonly string[],
): ReturnType<typeof initStore> & { readonly events: number } {
  using file = new ImportedFile(imported.path);
  let events = 0;
  const store = initStore(dataDir, (db) => {
    events = fillDatabase(db, importBatches(file, imported), subjectNames);
    const storeId = imported.keptId();
    if (storeId !== undefined) changeStoreId(db, storeId);
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

/** Groups events and projections in batches that are large enough for a transaction, and small enough for the memory. */
function* inBatches(items: ReturnType<ImportFormat>): Generator<ImportBatch, void> {
  let events: PreparedEvent[] = [];
  let projections: ProjectionReplace[] = [];
  let units = 0;
  for (const item of items) {
    if ("version" in item) projections.push(item);
    else events.push(item);
    units += "version" in item ? item.payload.length : item.body.length;
    if (events.length + projections.length < BATCH_ITEMS_MAX && units < BATCH_UNITS_MAX) continue;
    yield { events, projections };
    [events, projections, units] = [[], [], 0];
  }
  if (events.length + projections.length > 0) yield { events, projections };
}
