import { removeIfThere } from "./is_there.ts";
import { directoryOf } from "./paths.ts";
import { syncFile } from "./sync_file.ts";

/**
 * Gives a complete file its name, durably: after a crash at any moment there is either the old content or all of
 * the new file.
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
    // The process ID keeps other processes from using the same name. What a killed one with the same ID has left
    // is removed; no link that appears in its place is followed.
    this.#temporary = `${path}.${Deno.pid}.new`;
    removeIfThere(this.#temporary);
    this.#file = Deno.openSync(this.#temporary, { write: true, createNew: true, mode: 0o600 });
    Deno.chmodSync(this.#temporary, mode);
  }

  write(text: string): void {
    const bytes = new TextEncoder().encode(text);
    for (let written = 0; written < bytes.length;) written += this.#file.writeSync(bytes.subarray(written));
  }

  /** Gives the file its name, durably. */
  keep(): void {
    commitRename(this.#temporary, this.#path);
  }

  /** Removes what was not kept. */
  [Symbol.dispose](): void {
    this.#file.close();
    try {
      removeIfThere(this.#temporary);
    } catch {
      // Why it was not kept is what the caller has to tell.
    }
  }
}
