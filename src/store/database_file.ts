import { isThere } from "./is_there.ts";
import { pathIn } from "./path_in.ts";
import { APPLICATION_ID, SCHEMA_VERSION } from "./schema.ts";

/** A data directory that the program can't use as it is. `message` is one line that names the file. */
export class StoreFileError extends Error {
  override readonly name = "StoreFileError";
}

/** Where the files of a store lie inside its data directory. */
export function storePaths(dataDir: string): { database: string; lock: string; pause: string } {
  return {
    database: pathIn(dataDir, "events.db"),
    lock: pathIn(dataDir, "events.lock"),
    pause: pathIn(dataDir, "service.paused"),
  };
}

/**
 * Looks at the database file before SQLite does, so that a file of another program or version is refused
 * without a byte of it changing. Must run before the first connection: closing a second handle on the file
 * would drop SQLite's locks.
 * @returns whether there is a database; false means that none exists yet
 * @throws StoreFileError when there is something that the store must not touch
 */
export function checkDatabaseFile(path: string): boolean {
  const header = readHeader(path);
  if (header === undefined) {
    if (hasWal(path)) {
      throw new StoreFileError(
        `${path} is missing although ${path}-wal is there: restore both or remove the latter`,
      );
    }
    return false;
  }
  if (header.length === 0) {
    throw new StoreFileError(`${path} is empty (zero bytes), which no database of this program is`);
  }
  const view = new DataView(header.buffer, 0, header.length);
  if (header.length < 100 || !new TextDecoder().decode(header).startsWith("SQLite format 3\0")) {
    throw new StoreFileError(`${path} is not a SQLite database, or it is damaged`);
  }
  const applicationId = view.getInt32(68);
  if (applicationId !== APPLICATION_ID) {
    throw new StoreFileError(
      `${path} belongs to another program (application_id ${applicationId}, expected ${APPLICATION_ID})`,
    );
  }
  const version = view.getInt32(60);
  if (version !== SCHEMA_VERSION) {
    throw new StoreFileError(
      `${path} has schema version ${version}, but this program works with version ${SCHEMA_VERSION}`,
    );
  }
  refuseTruncated(path, view);
  return true;
}

/** Pages that are missing may still be in the WAL after a crash; without a WAL they are lost. */
function refuseTruncated(path: string, header: DataView): void {
  const pageBytes = header.getUint16(16) === 1 ? 65536 : header.getUint16(16);
  const bytes = pageBytes * header.getUint32(28);
  const { size } = Deno.statSync(path);
  if (size < bytes && !hasWal(path)) {
    throw new StoreFileError(`${path} is damaged: it has ${size} of ${bytes} bytes`);
  }
}

function readHeader(path: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    using file = Deno.openSync(path, { read: true });
    if (!file.statSync().isFile) throw new StoreFileError(`${path} is not a regular file`);
    const header = new Uint8Array(100);
    return header.slice(0, file.readSync(header) ?? 0);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    if (error instanceof StoreFileError) throw error;
    throw new StoreFileError(`${path} can't be read: ${(error as Error).message}`);
  }
}

function hasWal(path: string): boolean {
  const wal = `${path}-wal`;
  try {
    return isThere(wal);
  } catch (error) {
    throw new StoreFileError(`${wal} can't be read: ${(error as Error).message}`);
  }
}
