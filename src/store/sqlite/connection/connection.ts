import { Database } from "./database.ts";

/** How long a statement waits for a lock of another connection. */
export const BUSY_TIMEOUT_MILLISECONDS = 5000;

/** Settings of every connection, as [name, value to set, value read back]. */
const SHARED: readonly (readonly [string, string, unknown])[] = [
  ["busy_timeout", String(BUSY_TIMEOUT_MILLISECONDS), BUSY_TIMEOUT_MILLISECONDS],
  ["trusted_schema", "OFF", 0],
  ["cell_size_check", "ON", 1],
  // With memory mapping, a bad block or a truncated file would kill the server instead of failing a read.
  ["mmap_size", "0", 0],
  ["temp_store", "MEMORY", 2],
];

const WRITER: typeof SHARED = [
  ["journal_mode", "WAL", "wal"],
  // With NORMAL a power cut loses acknowledged writes.
  ["synchronous", "FULL", 2],
  // The writer runs checkpoints itself, after it has responded.
  ["wal_autocheckpoint", "0", 0],
  ["journal_size_limit", String(64 * 1024 * 1024), 64 * 1024 * 1024],
];

const READER: typeof SHARED = [
  ["query_only", "ON", 1],
  // In KiB, if negative. It holds the inner pages of the table and of the tag index of a few million events.
  ["cache_size", "-4096", -4096],
];

/** Opens a connection that may write. While a store is open, it has one. */
export function openForWriting(path: string): Database {
  return configure(new Database(path, { readOnly: false }), [...SHARED, ...WRITER]);
}

/** Opens a connection that cannot write. */
export function openForReading(path: string): Database {
  return configure(new Database(path, { readOnly: true }), [...SHARED, ...READER]);
}

/**
 * Opens a database that no other process has open, to check all of it. The connection may write, so that SQLite
 * finishes what a killed process left in the WAL, and removes its own files at the end.
 */
export function openForChecking(path: string): Database {
  return configure(new Database(path, { readOnly: false }), SHARED);
}

/** SQLite ignores a setting that it cannot apply, so each one is read back. */
function configure(db: Database, settings: typeof SHARED): Database {
  try {
    for (const [name, value, expected] of settings) {
      db.all(`PRAGMA ${name} = ${value}`);
      const actual = db.get(`PRAGMA ${name}`)?.[0];
      // A build without memory mapping returns no row for `mmap_size`, which is as good as 0.
      if (actual !== expected && !(name === "mmap_size" && actual === undefined)) {
        throw new Error(`SQLite did not accept the setting ${name} = ${value} (it is ${String(actual)})`);
      }
    }
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
