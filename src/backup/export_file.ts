import { isThere, refuseIrregular, removeIfThere } from "../store/is_there.ts";
import { parentOf, syncFile } from "../store/sync_file.ts";

/** What every database of SQLite begins with. */
const SQLITE_START = "SQLite format 3\0";

/**
 * A file that is written under a temporary name, and gets its own when it is complete. What stood there before
 * stays until then.
 */
export class ExportFile implements Disposable {
  readonly #path: string;
  readonly #temporary: string;
  readonly #file: Deno.FsFile;

  constructor(path: string) {
    refuseIrregular(path);
    if (isDatabase(path)) throw new Error(`${path} is a database, so it won't be replaced`);
    this.#path = path;
    // With the process ID no other export writes to it, and a file of this name is somebody else's.
    this.#temporary = `${path}.${Deno.pid}.new`;
    this.#file = Deno.openSync(this.#temporary, { write: true, createNew: true, mode: 0o600 });
  }

  write(text: string): void {
    const bytes = new TextEncoder().encode(text);
    for (let written = 0; written < bytes.length;) written += this.#file.writeSync(bytes.subarray(written));
  }

  /** Gives the file its name, durably. */
  keep(): void {
    this.#file.syncSync();
    Deno.renameSync(this.#temporary, this.#path);
    syncFile(parentOf(this.#path));
  }

  /** Removes what was not kept. */
  [Symbol.dispose](): void {
    this.#file.close();
    removeIfThere(this.#temporary);
  }
}

function isDatabase(path: string): boolean {
  if (!isThere(path)) return false;
  using file = Deno.openSync(path, { read: true });
  const start = new Uint8Array(SQLITE_START.length);
  return new TextDecoder().decode(start.subarray(0, file.readSync(start) ?? 0)) === SQLITE_START;
}
