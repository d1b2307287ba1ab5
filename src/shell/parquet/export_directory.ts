import type { Position } from "../../../client/mod.ts";
import { NewFile } from "../../files/new_file.ts";
import { pathIn } from "../../files/paths.ts";

/** A name has the sequences that a file covers. With zeros in front, names sort as sequences do. */
const NAME = /^events-(\d+)-(\d+)\.parquet$/;
const DIGITS = 12;

/** Files of processes that were killed. */
const REMAINS = /^events-\d+-\d+\.parquet\.\d+\.new$/;

/**
 * A directory of files with events, each of which continues the one before. Only one process at a time may add files,
 * until it disposes of the directory or ends.
 */
export class ExportDirectory implements Disposable {
  readonly #path: string;
  readonly #lock: Deno.FsFile;

  /** Creates the directory if it is missing. @throws Error when another process uses it */
  constructor(path: string) {
    this.#path = path;
    Deno.mkdirSync(path, { recursive: true });
    this.#lock = Deno.openSync(pathIn(path, "export.lock"), { create: true, write: true, mode: 0o600 });
    if (!this.#lock.tryLockSync(true)) {
      this.#lock.close();
      throw new Error(`${path}: another export writes to this directory`);
    }
    for (const { name } of [...Deno.readDirSync(path)]) {
      if (REMAINS.test(name)) Deno.removeSync(pathIn(path, name));
    }
  }

  /**
   * Returns the position after the last file, `undefined` if there is none.
   * @param storeIdIn reads the store's ID from a file
   */
  position(storeIdIn: (bytes: Uint8Array) => string): Position | undefined {
    let last: { readonly path: string; readonly sequence: number } | undefined;
    for (const { name } of Deno.readDirSync(this.#path)) {
      const sequence = Number(NAME.exec(name)?.[2] ?? NaN);
      if (sequence > (last?.sequence ?? 0)) last = { path: pathIn(this.#path, name), sequence };
    }
    if (last === undefined) return undefined;
    try {
      return { storeId: storeIdIn(Deno.readFileSync(last.path)), sequence: last.sequence };
    } catch (error) {
      throw new Error(`${last.path} is no file of an export: ${(error as Error).message}`);
    }
  }

  /** Adds a file that covers the sequences from one to another, completely or not at all. @returns its name */
  add(from: number, to: number, bytes: Uint8Array): string {
    const [first, last] = [from, to].map((sequence) => String(sequence).padStart(DIGITS, "0"));
    const name = `events-${first}-${last}.parquet`;
    using file = new NewFile(pathIn(this.#path, name), 0o600);
    file.write(bytes);
    file.keep();
    return name;
  }

  [Symbol.dispose](): void {
    this.#lock.close();
  }
}
