import { foundLink } from "../../files/found.ts";
import { isThere } from "../../files/is_there.ts";
import { pathIn } from "../../files/paths.ts";
import { syncInBackground } from "../../files/sync_file.ts";

/*
 * A pause that is persisted as a file in the data directory (edition C). Only its existence matters; its modification
 * time is the start of the pause.
 */

const TEXT =
  "The store is paused. End the pause with POST /resume; removing this file has no effect until a restart.\n";

/**
 * Returns since when the store is paused, in microseconds since 1970 by the file system's clock, or undefined.
 * @throws Error when the path is not a file: no pause could begin or end there
 */
export function readPauseFile(dataDir: string): number | undefined {
  const info = foundLink(pathOf(dataDir));
  if (info?.isFile === false) throw new Error(`${pathOf(dataDir)} is not a regular file`);
  return info && microsOf(info);
}

/** Makes the pause durable. @returns since when it holds, as `readPauseFile` will report it */
export async function writePauseFile(dataDir: string): Promise<number> {
  const path = pathOf(dataDir);
  try {
    await Deno.writeTextFile(path, TEXT, { mode: 0o600 });
    await syncInBackground(path);
    await syncInBackground(dataDir);
    return microsOf(Deno.statSync(path));
  } catch (error) {
    // A pause that was not saved must not return with a restart.
    if (isThere(path)) await Deno.remove(path);
    await syncInBackground(dataDir);
    throw error;
  }
}

/** Makes the end of the pause durable. When that fails, the pause continues. */
export async function removePauseFile(dataDir: string): Promise<void> {
  const path = pathOf(dataDir);
  const times = foundLink(path);
  // Opened before the file is removed, since opening may fail.
  using directory = await Deno.open(dataDir);
  if (times !== undefined) await Deno.remove(path);
  try {
    await directory.sync();
  } catch (error) {
    // An end that was not saved must not take effect with a restart.
    if (times !== undefined) await requeue(path, times);
    throw error;
  }
}

async function requeue(path: string, { atime, mtime }: Deno.FileInfo): Promise<void> {
  await Deno.writeTextFile(path, TEXT, { mode: 0o600 });
  await Deno.utime(path, atime!, mtime!);
}

function pathOf(dataDir: string): string {
  return pathIn(dataDir, "service.paused");
}

function microsOf({ mtime }: Deno.FileInfo): number {
  return mtime!.getTime() * 1000;
}
