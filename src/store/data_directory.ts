import { StoreFileError, storePaths } from "./database_file.ts";

/** Makes the data directory, readable by its owner only, unless it exists. */
export function makeDataDirectory(dataDir: string): void {
  try {
    Deno.mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) {
      throw new StoreFileError(`${dataDir} is not a directory, so it can't be the dataDir`);
    }
    throw new StoreFileError(`the dataDir ${dataDir} can't be made: ${(error as Error).message}`);
  }
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
