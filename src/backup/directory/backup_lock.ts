import { rejectDangling } from "../../files/is_there.ts";
import { pathIn } from "../../files/paths.ts";
import { makeDataDirectory } from "../../store/sqlite/data_directory/data_directory.ts";

interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly since: string;
}

/** On a read-only file system no backup can run. */
const NO_LOCK: Disposable = { [Symbol.dispose]: () => {} };

/**
 * Takes the exclusive lock of a directory of backups, and creates the directory if it is missing. The lock is held
 * until it is disposed of or the process ends, even by a crash. The file's content is not the lock.
 * @throws an error of one line that names the holder
 */
export function lockBackups(dataDir: string): Disposable {
  makeDataDirectory(dataDir);
  const path = pathIn(dataDir, "backup.lock");
  let file: Deno.FsFile;
  try {
    rejectDangling(path);
    file = Deno.openSync(path, { read: true, write: true, create: true, mode: 0o600 });
  } catch (error) {
    if ((error as { code?: string }).code === "EROFS") return NO_LOCK;
    throw new Error(`the lock file ${path} cannot be opened: ${(error as Error).message}`);
  }
  if (!file.tryLockSync(true)) {
    const holder = holderText(file);
    file.close();
    throw new Error(`the directory ${dataDir} is in use by another run${holder}`);
  }
  writeHolder(file);
  return { [Symbol.dispose]: () => file.close() };
}

/** The file is never empty, so that a rejected process finds a name in it. */
function writeHolder(file: Deno.FsFile): void {
  const holder: Holder = { pid: Deno.pid, host: Deno.hostname(), since: new Date().toISOString() };
  try {
    file.truncateSync(file.writeSync(new TextEncoder().encode(`${JSON.stringify(holder)}\n`)));
  } catch {
    // The disk is full. The lock counts, not the name in the file.
  }
}

/**
 * Returns the holder of the lock, as the file names it. After its first line there may be the rest of an earlier name.
 */
function holderText(file: Deno.FsFile): string {
  try {
    const bytes = new Uint8Array(1000);
    const length = file.readSync(bytes) ?? 0;
    const [line = ""] = new TextDecoder().decode(bytes.subarray(0, length)).split("\n");
    const { pid, host, since } = JSON.parse(line) as Holder;
    return `: process ${pid} on ${host}, since ${since}`;
  } catch {
    return "";
  }
}
