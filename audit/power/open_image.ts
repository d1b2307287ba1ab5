import { join } from "node:path";
import { readPauseFile } from "../../src/store/pause_file.ts";
import { openForChecking } from "../../src/store/sqlite/connection/connection.ts";
import {
  lockDataDirectory,
  makeDataDirectory,
} from "../../src/store/sqlite/data_directory/data_directory.ts";
import { storePaths } from "../../src/store/sqlite/data_directory/database_file.ts";
import { Writer } from "../../src/store/sqlite/writing/writer.ts";
import { newEvent, storeWrite } from "../../tests/store/made_writes.ts";
import { emptyStore, type FoundStore } from "../witness/found_store.ts";
import { readDatabase } from "../witness/read_files.ts";
import type { EditionName } from "../workload/perform.ts";
import type { DiskImage } from "./disk.ts";

/**
 * Lets a server's own code open what a power cut has left, with the lock, the checks and the recovery of a start, and
 * reads everything. After that one write must succeed.
 * @param dataDir is made, and removed at the end
 */
export function openImage(image: DiskImage, dataDir: string, edition: EditionName): FoundStore {
  Deno.mkdirSync(dataDir, { mode: 0o700 });
  try {
    for (const [name, bytes] of image) Deno.writeFileSync(join(dataDir, name), bytes, { mode: 0o600 });
    makeDataDirectory(dataDir);
    using _lock = lockDataDirectory(dataDir);
    const path = storePaths(dataDir).database;
    const troubles: string[] = [];
    const writer = Writer.open(path, (notice) => {
      if (!("storeId" in notice)) troubles.push(JSON.stringify(notice));
    });
    writer.close();
    const found = readStore(path);
    const isPaused = edition === "C" ? readPauseFile(dataDir) !== undefined : found.isPaused;
    return { ...found, isPaused, faults: [...found.faults, ...troubles, ...nextWriteFaults(path, found)] };
  } catch (error) {
    return { ...emptyStore(""), faults: [`it does not start: ${(error as Error).message}`] };
  } finally {
    Deno.removeSync(dataDir, { recursive: true });
  }
}

function readStore(path: string): FoundStore {
  using db = openForChecking(path);
  return readDatabase(db);
}

function nextWriteFaults(path: string, { events }: FoundStore): string[] {
  const writer = Writer.open(path, () => {});
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
