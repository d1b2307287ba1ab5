import { storePaths } from "./database_file.ts";
import { parentOf, syncInBackground } from "./sync_file.ts";

/*
 * A pause that is kept as a file in the data directory (edition C). That the file is there is all that counts;
 * its modification time tells since when.
 */

const TEXT =
  "The store is paused. End the pause with POST /resume; removing this file has no effect until a restart.\n";

/** Since when the store is paused, in microseconds since 1970 by the file system's clock, or undefined. */
export function readPauseFile(dataDir: string): number | undefined {
  try {
    return modifiedMicros(storePaths(dataDir).pause);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Makes the pause durable. @returns since when it holds, as `readPauseFile` will say it */
export async function writePauseFile(dataDir: string): Promise<number> {
  const { pause } = storePaths(dataDir);
  try {
    await Deno.writeTextFile(pause, TEXT, { mode: 0o600 });
    await syncInBackground(pause);
    await syncInBackground(parentOf(pause));
    return modifiedMicros(pause);
  } catch (error) {
    // A pause that was not kept must not come back with a restart.
    await removePauseFile(dataDir);
    throw error;
  }
}

/** Makes the end of the pause durable. */
export async function removePauseFile(dataDir: string): Promise<void> {
  const { pause } = storePaths(dataDir);
  try {
    await Deno.remove(pause);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  await syncInBackground(parentOf(pause));
}

function modifiedMicros(path: string): number {
  return (Deno.statSync(path).mtime?.getTime() ?? Date.now()) * 1000;
}
