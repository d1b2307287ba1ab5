import { StoreFileError, storePaths } from "./database_file.ts";
import { parentOf, syncFile } from "./sync_file.ts";

/** Makes the data directory with mode 0700, whatever the umask. An existing one keeps its mode. */
export function makeDataDirectory(dataDir: string): void {
  try {
    const missing: string[] = [];
    for (let path = dataDir; !isDirectory(path); path = parentOf(path)) missing.push(path);
    if (missing.length === 0) return;
    Deno.mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    Deno.chmodSync(dataDir, 0o700);
    for (const path of missing) syncFile(parentOf(path));
  } catch (error) {
    throw new StoreFileError(`the data directory ${dataDir} can't be made: ${(error as Error).message}`);
  }
}

function isDirectory(path: string): boolean {
  try {
    if (Deno.statSync(path).isDirectory) return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
  throw new Error("something that is not a directory stands in its place");
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
    file = Deno.openSync(path, { read: true, write: true, create: true, mode: 0o600 });
  } catch (error) {
    throw new StoreFileError(`the lock file ${path} can't be opened: ${(error as Error).message}`);
  }
  if (!file.tryLockSync(true)) {
    file.close();
    throw new StoreFileError(`the data directory ${dataDir} is in use by another process (it holds ${path})`);
  }
  return { [Symbol.dispose]: () => file.close() };
}
