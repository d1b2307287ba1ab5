import { readPauseFile } from "../../src/store/core/pause_file.ts";
import { openForChecking } from "../../src/store/sqlite/connection/connection.ts";
import {
  lockDataDirectory,
  makeDataDirectory,
} from "../../src/store/sqlite/data_directory/data_directory.ts";
import { storePaths } from "../../src/store/sqlite/data_directory/database_file.ts";
import { Writer } from "../../src/store/sqlite/writing/writer.ts";
import { newEvent, storeWrite } from "../../tests/store/made_writes.ts";
import type { EditionName } from "../../src/config/setting.ts";
import { emptyStore, type StoreContent } from "./store_content.ts";
import { readDatabase } from "./read_files.ts";

/**
 * Opens the files of a data directory with the server's own code: with the lock, the checks and the recovery of a
 * start. It reads everything, and then one write must succeed. This costs much less than a server process.
 */
export function openStore(dataDir: string, edition: EditionName): StoreContent {
  try {
    makeDataDirectory(dataDir);
    using _lock = lockDataDirectory(dataDir);
    const path = storePaths(dataDir).database;
    const troubles: string[] = [];
    const writer = Writer.open(path, [], [], (notice) => {
      if (!("storeId" in notice)) troubles.push(JSON.stringify(notice));
    });
    writer.close();
    const found = readStore(path);
    const isPaused = edition === "C" ? readPauseFile(dataDir) !== undefined : found.isPaused;
    return { ...found, isPaused, faults: [...found.faults, ...troubles, ...nextWriteFaults(path, found)] };
  } catch (error) {
    return { ...emptyStore(""), faults: [`it does not start: ${(error as Error).message}`] };
  }
}

function readStore(path: string): StoreContent {
  using db = openForChecking(path);
  return readDatabase(db);
}

function nextWriteFaults(path: string, { events }: StoreContent): string[] {
  const writer = Writer.open(path, [], [], () => {});
  try {
    const [outcome] = writer.group([storeWrite([newEvent("next")])]);
    const next = outcome?.kind === "done" && outcome.value.kind === "written"
      ? outcome.value.firstSequence
      : undefined;
    return next === events.length + 1 ? [] : [`the next write: ${JSON.stringify(outcome)}`];
  } finally {
    writer.close();
  }
}
