import { basename, dirname } from "node:path";
import { isThere } from "../../../files/is_there.ts";
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

  /** @param path the database, which must be open. A lock that does not exist is not looked for later */
  constructor(path: string) {
    // Beside the end of a link, as SQLite sees it.
    const real = Deno.realPathSync(path);
    this.database = knownFiles(path);
    this.lock = knownFiles(storePaths(dirname(path)).lock);
    this.written = [...this.database, ...knownFiles(`${real}-wal`)];
    this.all = [...this.written, ...this.lock, ...knownFiles(`${real}-shm`)];
  }

  /** Whether another program may have this database open: the lock that it finds is no longer ours. */
  get mayBeShared(): boolean {
    const isAnother = this.lock.some(({ path }) => isThere(path)) && lossOf(this.lock) !== undefined;
    return isAnother && lossOf(this.database) === undefined;
  }
}

/** What has happened to the first of these files that is no longer in its place, if any. */
export function lossOf(files: readonly KnownFile[]): string | undefined {
  for (const { path, device, number } of files) {
    try {
      const { dev, ino } = Deno.statSync(path);
      if (dev !== device || ino !== number) return `${basename(path)} was replaced by another file`;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return `${basename(path)} was deleted or moved away`;
      return `${basename(path)} can no longer be found: ${(error as Error).message}`;
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
