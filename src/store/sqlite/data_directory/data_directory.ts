import { StoreFileError, storePaths } from "./database_file.ts";
import { found } from "../../../files/found.ts";
import { rejectDangling } from "../../../files/is_there.ts";
import { directoryOf } from "../../../files/paths.ts";
import { syncFile } from "../../../files/sync_file.ts";

/** Creates the data directory with mode 0700, whatever the umask. An existing one keeps its mode. */
export function makeDataDirectory(dataDir: string): void {
  try {
    const missing: string[] = [];
    for (let path = dataDir; !isDirectory(path); path = directoryOf(path)) missing.push(path);
    if (missing.length === 0) return;
    Deno.mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    Deno.chmodSync(dataDir, 0o700);
    for (const path of missing) syncFile(directoryOf(path));
  } catch (error) {
    throw new StoreFileError(`the data directory ${dataDir} cannot be created: ${(error as Error).message}`);
  }
}

function isDirectory(path: string): boolean {
  const info = found(path);
  if (info?.isDirectory === false) throw new Error("not a directory");
  if (info === undefined) rejectDangling(path);
  return info !== undefined;
}

/**
 * Takes the exclusive lock of a data directory, before its database is opened. It is held until the returned
 * lock is disposed of or the process ends, however it ends.
 * @throws StoreFileError when another process holds it
 */
export function lockDataDirectory(dataDir: string): Disposable {
  const path = storePaths(dataDir).lock;
  let file: Deno.FsFile;
  try {
    rejectDangling(path);
    file = Deno.openSync(path, { read: true, write: true, create: true, mode: 0o600 });
  } catch (error) {
    throw new StoreFileError(`the lock file ${path} cannot be opened: ${(error as Error).message}`);
  }
  if (!file.tryLockSync(true)) {
    file.close();
    throw new StoreFileError(
      `the data directory ${dataDir} is in use by another process, which holds ${path}`,
    );
  }
  return { [Symbol.dispose]: () => file.close() };
}
