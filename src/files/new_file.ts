import { removeIfThere } from "./is_there.ts";
import { directoryOf } from "./paths.ts";
import { syncFile } from "./sync_file.ts";

/**
 * Gives a complete file its name, durably. After a crash at any moment there is either the old content or the whole
 * new file.
 */
export function commitRename(temporary: string, path: string): void {
  syncFile(temporary);
  Deno.renameSync(temporary, path);
  syncFile(directoryOf(path));
}

/** A file that is written under a temporary name and gets its final name once it is complete. */
export class NewFile implements Disposable {
  readonly #path: string;
  readonly #temporary: string;
  readonly #file: Deno.FsFile;

  /** @param mode the permissions, whatever the umask */
  constructor(path: string, mode: number) {
    this.#path = path;
    // The process ID keeps other processes from using the same name. A file of a killed process with the same ID is
    // removed. A link that appears in its place is not followed.
    this.#temporary = `${path}.${Deno.pid}.new`;
    removeIfThere(this.#temporary);
    this.#file = Deno.openSync(this.#temporary, { write: true, createNew: true, mode: 0o600 });
    try {
      Deno.chmodSync(this.#temporary, mode);
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  write(content: string | Uint8Array): void {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    for (let written = 0; written < bytes.length;) written += this.#file.writeSync(bytes.subarray(written));
  }

  /** Gives the file its name, durably. */
  keep(): void {
    commitRename(this.#temporary, this.#path);
  }

  /** Removes the temporary file, unless it has got its final name. */
  [Symbol.dispose](): void {
    this.#file.close();
    try {
      removeIfThere(this.#temporary);
    } catch {
      // The caller reports the error because of which the file is not committed.
    }
  }
}
