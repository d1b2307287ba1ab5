import { found } from "../../../files/found.ts";
import { isThere, missingTarget } from "../../../files/is_there.ts";
import { directoryOf, nameOf, pathIn } from "../../../files/paths.ts";
import { APPLICATION_ID, VERSIONS } from "../tables/schema.ts";
import { isPageSize } from "./wal_pages.ts";
import { isWholeWithWal, type Pages } from "./whole_with_wal.ts";

/** A data directory that the program cannot use as it is. `message` is one line that names the file. */
export class StoreFileError extends Error {
  override readonly name = "StoreFileError";
}

/** Returns the paths of a store's files in its data directory. */
export function storePaths(dataDir: string): { database: string; lock: string } {
  return {
    database: pathIn(dataDir, "events.db"),
    lock: pathIn(dataDir, "events.lock"),
  };
}

/**
 * Inspects the database file before SQLite opens it, so that a file of another program or version is rejected without
 * a byte of it changing. Must run before the first connection: closing a second handle on the file would drop
 * SQLite's locks.
 * @param mayBeInUse whether another process may be writing to it; then a file with a WAL is not checked as a whole
 * @returns whether a database exists
 * @throws StoreFileError when a file exists that the store must not touch
 */
export function checkDatabaseFile(path: string, { mayBeInUse = false } = {}): boolean {
  const header = readHeader(path);
  if (header === undefined) {
    if (hasWal(path)) {
      throw new StoreFileError(
        `${path} is missing although ${path}-wal exists: restore both, or remove the latter`,
      );
    }
    return false;
  }
  if (header.length === 0) {
    throw new StoreFileError(`${path} is empty (zero bytes), not an eventstore database`);
  }
  const view = new DataView(header.buffer, 0, header.length);
  if (header.length < 100 || !isOfSqlite(header) || !isPageSize(pagesOf(view).bytesEach)) {
    throw new StoreFileError(`${path} is not an SQLite database, or is damaged`);
  }
  const applicationId = view.getInt32(68);
  if (applicationId !== APPLICATION_ID) {
    throw new StoreFileError(
      `${path} belongs to another program (application_id ${applicationId}, expected ${APPLICATION_ID})`,
    );
  }
  const version = versionIn(view);
  if (!VERSIONS.includes(version)) {
    const accepted = `${VERSIONS.slice(0, -1).join(", ")} or ${VERSIONS.at(-1)}`;
    throw new StoreFileError(
      `${path} has schema version ${version}, but this program requires version ${accepted}`,
    );
  }
  const real = Deno.realPathSync(path);
  rejectStrayWal(path, real);
  rejectIrregularNeighbour(real);
  const besideWal = hasWal(real) ? real : undefined;
  // While another process writes, the parts would be read at different moments and not fit together.
  if (besideWal === undefined || !mayBeInUse) rejectIncomplete(path, pagesOf(view), besideWal);
  return true;
}

/** Returns the schema version of a database file that was checked. To open the file and close it would empty its WAL. */
export function versionOf(path: string): number {
  const header = readHeader(path)!;
  return versionIn(new DataView(header.buffer, 0, header.length));
}

function versionIn(header: DataView): number {
  return header.getInt32(60);
}

function isOfSqlite(header: Uint8Array): boolean {
  return new TextDecoder().decode(header).startsWith("SQLite format 3\0");
}

function pagesOf(header: DataView): Pages {
  const size = header.getUint16(16);
  return { bytesEach: size === 1 ? 65536 : size, count: header.getUint32(28) };
}

/**
 * For a link, SQLite has the WAL next to the target file. A WAL next to the link was left behind, and holds events.
 */
function rejectStrayWal(path: string, real: string): void {
  const own = pathIn(Deno.realPathSync(directoryOf(path)), nameOf(path));
  if (own === real || !isThere(`${path}-wal`)) return;
  throw new StoreFileError(
    `${path} is a link to ${real}, but ${path}-wal lies next to the link: move it next to the file`,
  );
}

/** On a pipe, SQLite would wait for a writer. With a directory that it cannot write, it would continue. */
function rejectIrregularNeighbour(database: string): void {
  for (const end of ["-wal", "-shm", "-journal"]) {
    const path = database + end;
    let isFile: boolean;
    try {
      isFile = found(path)?.isFile ?? true;
    } catch (error) {
      throw new StoreFileError(`${path} cannot be read: ${(error as Error).message}`);
    }
    if (!isFile) throw new StoreFileError(`${path} is not a regular file`);
  }
}

/**
 * Rejects a database that has a second name. SQLite uses a separate WAL next to each name. Writes under one name are
 * lost with the next checkpoint under the other.
 * @throws StoreFileError
 */
export function rejectSecondName(path: string): void {
  const names = Deno.statSync(path).nlink ?? 1;
  if (names > 1) throw new StoreFileError(`${path} is one file with ${names} names (hard links)`);
}

/**
 * Rejects a database with missing pages or a foreign WAL. After a crash, missing pages may still be in the WAL;
 * otherwise they are lost.
 * @param besideWal the file itself, if there is a WAL
 */
function rejectIncomplete(path: string, pages: Pages, besideWal: string | undefined): void {
  const { size } = Deno.statSync(path);
  const expected = pages.bytesEach * pages.count;
  if (besideWal === undefined ? size >= expected : wholeWithWal(besideWal, pages)) return;
  if (size < expected) throw new StoreFileError(`${path} is damaged: it has ${size} of ${expected} bytes`);
  throw new StoreFileError(`${path} and ${path}-wal do not belong together, or are damaged`);
}

function wholeWithWal(real: string, pages: Pages): boolean {
  try {
    return isWholeWithWal(real, pages);
  } catch (error) {
    throw new StoreFileError(`${real} cannot be read: ${(error as Error).message}`);
  }
}

function readHeader(path: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    // Opening a pipe would block until another process opens it for writing.
    if (!Deno.statSync(path).isFile) throw new StoreFileError(`${path} is not a regular file`);
    using file = Deno.openSync(path, { read: true });
    const header = new Uint8Array(100);
    return header.slice(0, file.readSync(header) ?? 0);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return rejectDanglingLink(path), undefined;
    if (error instanceof StoreFileError) throw error;
    throw new StoreFileError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

/** @param path the database itself, not a link to it: SQLite has the WAL next to the database */
function hasWal(path: string): boolean {
  const wal = `${path}-wal`;
  try {
    rejectDanglingLink(wal);
    return isThere(wal);
  } catch (error) {
    if (error instanceof StoreFileError) throw error;
    throw new StoreFileError(`${wal} cannot be read: ${(error as Error).message}`);
  }
}

/** Rejects a dangling link: its target may be on a disk that is not mounted. */
function rejectDanglingLink(path: string): void {
  const target = missingTarget(path);
  if (target !== undefined) throw new StoreFileError(`${path} is a link to ${target}, which does not exist`);
}
