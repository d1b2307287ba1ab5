import { isThere, removeIfThere } from "./is_there.ts";
import { parentOf, syncFile } from "./sync_file.ts";

/** What SQLite calls the files of a database. */
const FILE_ENDS = ["", "-wal", "-shm", "-journal"];

/**
 * A database that is being made under a temporary name. It gets its own name when it is complete, so that a
 * crash leaves either nothing or all of it; what a crash leaves behind, the next one clears away.
 */
export class NewDatabaseFile implements Disposable {
  readonly path: string;
  readonly temporary: string;

  constructor(path: string) {
    this.path = path;
    this.temporary = `${path}.new`;
    this.#clear();
    // SQLite takes an empty file for a new database and keeps its mode, also for the files beside it.
    Deno.openSync(this.temporary, { write: true, createNew: true, mode: 0o600 }).close();
    Deno.chmodSync(this.temporary, 0o600);
  }

  /** Gives the database its name, durably. It must be closed. */
  keep(): void {
    for (const end of FILE_ENDS.slice(1)) {
      if (isThere(this.temporary + end)) throw new Error(`${this.temporary + end} should be gone by now`);
    }
    syncFile(this.temporary);
    Deno.renameSync(this.temporary, this.path);
    syncFile(parentOf(this.path));
  }

  /** Removes what was not kept. */
  [Symbol.dispose](): void {
    this.#clear();
  }

  #clear(): void {
    for (const end of FILE_ENDS) removeIfThere(this.temporary + end);
  }
}
