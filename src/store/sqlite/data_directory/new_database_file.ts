import { isThere, removeIfThere } from "../../../files/is_there.ts";
import { commitRename } from "../../../files/new_file.ts";

/** The endings of the files that SQLite uses for a database. */
const FILE_ENDS = ["", "-wal", "-shm", "-journal"];

/**
 * A database that is being created under a temporary name. It gets its final name when it is complete, so a crash
 * leaves either nothing or all of it. The next creation removes what a crash left behind, and so does the next start of
 * a server.
 */
export class NewDatabaseFile implements Disposable {
  readonly path: string;
  readonly temporary: string;

  constructor(path: string) {
    this.path = path;
    this.temporary = `${path}.new`;
    removeUnfinished(path);
    // SQLite takes an empty file for a new database and keeps its mode, also for the -wal and -shm files.
    Deno.openSync(this.temporary, { write: true, createNew: true, mode: 0o600 }).close();
    Deno.chmodSync(this.temporary, 0o600);
  }

  /** Gives the database its name, durably. It must be closed. */
  keep(): void {
    for (const end of FILE_ENDS.slice(1)) {
      // SQLite removes them, and does not report a failure.
      if (isThere(this.temporary + end)) throw new Error(`${this.temporary + end} could not be removed`);
    }
    commitRename(this.temporary, this.path);
  }

  /** Removes the temporary files, unless the database got its final name. */
  [Symbol.dispose](): void {
    try {
      removeUnfinished(this.path);
    } catch {
      // The caller reports why the creation failed. The next creation removes the files.
    }
  }
}

/**
 * Removes what an interrupted creation has left, which may hold keys of subjects. The data directory must be locked.
 * @throws Error of the operating system
 */
export function removeUnfinished(path: string): void {
  for (const end of FILE_ENDS) removeIfThere(`${path}.new${end}`);
}
