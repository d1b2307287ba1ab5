import { isThere } from "../../../files/is_there.ts";
import { absolutePath, directoryOf, nameOf } from "../../../files/paths.ts";
import { storePaths } from "./database_file.ts";

/** A file as it was when the store was opened. As long as it is open, no other file gets its inode number. */
export interface KnownFile {
  readonly path: string;
  readonly device: number;
  readonly number: number | null;
}

/**
 * The files of an open store, to detect when one is deleted or replaced. SQLite does not detect that. It continues
 * with the files that it has open, and its writes to them are lost when the process ends.
 */
export class StoreFiles {
  readonly database: readonly KnownFile[];
  /** The file that keeps other programs out. */
  readonly lock: readonly KnownFile[];
  /** The files that a commit writes to. */
  readonly written: readonly KnownFile[];
  readonly all: readonly KnownFile[];
  /** The directory of the files; undefined for a path with links, since any link may be changed. */
  readonly #directory: string | undefined;
  /** The state of the directory when all files were last found in their places. */
  #quiet: DirectoryState | undefined;

  /** @param path the database, which must be open. A lock file that does not exist now is not checked later */
  constructor(path: string) {
    // SQLite has the WAL next to the link's target.
    const real = Deno.realPathSync(path);
    this.#directory = real === absolutePath(path) ? directoryOf(real) : undefined;
    this.database = knownFiles(path);
    this.lock = knownFiles(storePaths(directoryOf(path)).lock);
    this.written = [...this.database, ...knownFiles(`${real}-wal`)];
    this.all = [...this.written, ...this.lock, ...knownFiles(`${real}-shm`)];
  }

  /**
   * Describes the first file that is no longer in its place, if any. Checking one file costs 3 us. So the files are
   * not checked while their directory has not changed.
   */
  loss(which: "all" | "written" = "all"): string | undefined {
    const now = this.#directory === undefined ? undefined : stateOf(this.#directory);
    if (this.#quiet !== undefined && now !== undefined && isSame(now, this.#quiet)) return undefined;
    const loss = lossOf(this[which]);
    const isQuiet = now !== undefined && now.changedAt < Date.now() - QUIET_MILLISECONDS;
    this.#quiet = isQuiet && which === "all" && loss === undefined ? now : undefined;
    return loss;
  }

  /** True when another program may have this database open, since the lock file is no longer ours. */
  get mayBeShared(): boolean {
    const isAnother = this.lock.some(({ path }) => isThere(path)) && lossOf(this.lock) !== undefined;
    return isAnother && lossOf(this.database) === undefined;
  }
}

/** The runtime knows this time in seconds, so a second change shortly after the first might not show in it. */
const QUIET_MILLISECONDS = 2000;

interface DirectoryState {
  readonly device: number;
  readonly number: number | null;
  /** When an entry was created, removed or renamed in it. No program can set this time back. */
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

/** Describes the first of these files that is no longer in its place, if any. */
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
