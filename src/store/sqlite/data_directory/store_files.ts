import { isThere } from "../../../files/is_there.ts";
import { absolutePath, directoryOf, nameOf } from "../../../files/paths.ts";
import { storePaths } from "./database_file.ts";

/** A file as it was when the store was opened. As long as it is open, no other file gets its number. */
export interface KnownFile {
  readonly path: string;
  readonly device: number;
  readonly number: number | null;
}

/**
 * The files of an open store, to notice when one is deleted or replaced. SQLite does not: it goes on with those that
 * it has open, and what it writes there is gone with the process.
 */
export class StoreFiles {
  readonly database: readonly KnownFile[];
  /** What keeps other programs out. */
  readonly lock: readonly KnownFile[];
  /** What a commit writes to. */
  readonly written: readonly KnownFile[];
  readonly all: readonly KnownFile[];
  /** Where the files are; unknown behind links, any of which may be changed. */
  readonly #directory: string | undefined;
  /** The directory as it was when all files were last found in their places. */
  #quiet: DirectoryState | undefined;

  /** @param path the database, which must be open. A lock that does not exist is not looked for later */
  constructor(path: string) {
    // Beside the end of a link, as SQLite sees it.
    const real = Deno.realPathSync(path);
    this.#directory = real === absolutePath(path) ? directoryOf(real) : undefined;
    this.database = knownFiles(path);
    this.lock = knownFiles(storePaths(directoryOf(path)).lock);
    this.written = [...this.database, ...knownFiles(`${real}-wal`)];
    this.all = [...this.written, ...this.lock, ...knownFiles(`${real}-shm`)];
  }

  /**
   * What has happened to the first of the files that is no longer in its place, if any. Looking for each costs 3 us,
   * so they are left alone as long as nothing has come into their directory or left it.
   */
  loss(which: "all" | "written" = "all"): string | undefined {
    const now = this.#directory === undefined ? undefined : stateOf(this.#directory);
    if (this.#quiet !== undefined && now !== undefined && isSame(now, this.#quiet)) return undefined;
    const loss = lossOf(this[which]);
    const isQuiet = now !== undefined && now.changedAt < Date.now() - QUIET_MILLISECONDS;
    this.#quiet = isQuiet && which === "all" && loss === undefined ? now : undefined;
    return loss;
  }

  /** Whether another program may have this database open: the lock that it finds is no longer ours. */
  get mayBeShared(): boolean {
    const isAnother = this.lock.some(({ path }) => isThere(path)) && lossOf(this.lock) !== undefined;
    return isAnother && lossOf(this.database) === undefined;
  }
}

/** The runtime knows this time in seconds: of a directory that changed so recently, another change might not show. */
const QUIET_MILLISECONDS = 2000;

interface DirectoryState {
  readonly device: number;
  readonly number: number | null;
  /** When something was created, removed or renamed in it. Nobody can put this time back. */
  readonly changedAt: number;
}

function stateOf(directory: string): DirectoryState | undefined {
  try {
    const { dev, ino, ctime } = Deno.statSync(directory);
    return { device: dev, number: ino, changedAt: ctime?.getTime() ?? Infinity };
  } catch {
    return undefined;
  }
}

function isSame(a: DirectoryState, b: DirectoryState): boolean {
  return a.device === b.device && a.number === b.number && a.changedAt === b.changedAt;
}

/** What has happened to the first of these files that is no longer in its place, if any. */
export function lossOf(files: readonly KnownFile[]): string | undefined {
  for (const { path, device, number } of files) {
    try {
      const { dev, ino } = Deno.statSync(path);
      if (dev !== device || ino !== number) return `${nameOf(path)} was replaced by another file`;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return `${nameOf(path)} was deleted or moved away`;
      return `${nameOf(path)} can no longer be found: ${(error as Error).message}`;
    }
  }
  return undefined;
}

function knownFiles(path: string): KnownFile[] {
  try {
    const { dev, ino } = Deno.statSync(path);
    return [{ path, device: dev, number: ino }];
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}
