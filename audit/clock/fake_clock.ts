import { join } from "node:path";
import { found } from "../../src/files/found.ts";
import { debianProgram } from "../../tests/system/support/debian_program.ts";

/** The system clock of servers under libfaketime, which reads the time from a file. */
export class FakeClock {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
    this.set("+0");
  }

  /** @param fake in the syntax of libfaketime */
  set(fake: string): void {
    // Atomically, so that no server reads half of it.
    Deno.writeTextFileSync(`${this.#path}.new`, `${fake}\n`);
    Deno.renameSync(`${this.#path}.new`, this.#path);
  }

  /** The environment variables with which a server uses this clock. */
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
      // The monotonic clock, which measures durations, does not jump on a real machine either.
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      FAKETIME_DONT_RESET: "1",
    };
  }
}
