import { isThere, rejectIrregular } from "../../files/is_there.ts";
import { naming } from "../../files/naming.ts";
import { NewFile } from "../../files/new_file.ts";

/** The first bytes of every SQLite database. */
const SQLITE_START = "SQLite format 3\0";

/**
 * Opens the file of an export. An existing file is replaced only when the export is complete; a database is never
 * replaced.
 */
export function newExportFile(path: string): NewFile {
  rejectIrregular(path);
  if (isDatabase(path)) throw new Error(`${path} is a database; it will not be replaced`);
  return naming(path, () => new NewFile(path, 0o600));
}

function isDatabase(path: string): boolean {
  if (!isThere(path)) return false;
  using file = Deno.openSync(path, { read: true });
  const start = new Uint8Array(SQLITE_START.length);
  return new TextDecoder().decode(start.subarray(0, file.readSync(start) ?? 0)) === SQLITE_START;
}
