import { join } from "node:path";
import { found } from "../../src/files/found.ts";
import { debianProgram } from "../../tests/system/support/debian_program.ts";

/** The system clock of servers, as libfaketime tells it: what is in a file. */
export class FakeClock {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
    this.set("+0");
  }

  /** @param fake as libfaketime reads it */
  set(fake: string): void {
    // At once, so that nobody reads half of it.
    Deno.writeTextFileSync(`${this.#path}.new`, `${fake}\n`);
    Deno.renameSync(`${this.#path}.new`, this.#path);
  }

  /** With these variables a server has this clock. */
  async environment(): Promise<Record<string, string>> {
    const { root, environment } = await debianProgram("faketime");
    const folders = (environment["LD_LIBRARY_PATH"] ?? `${root}usr/lib/x86_64-linux-gnu/faketime`).split(":");
    const library = folders.map((folder) => join(folder, "libfaketimeMT.so.1")).find((path) =>
      found(path)?.isFile
    );
    if (library === undefined) throw new Error(`the package has no libfaketimeMT.so.1 in ${folders.join()}`);
    return {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: this.#path,
      FAKETIME_NO_CACHE: "1",
      // What measures how long something takes does not jump on a real machine either.
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      FAKETIME_DONT_RESET: "1",
    };
  }
}
