import { isThere } from "../../../files/is_there.ts";
import { naming } from "../../../files/naming.ts";
import { NewFile } from "../../../files/new_file.ts";
import { directoryOf, pathIn } from "../../../files/paths.ts";
import { StoreFileError } from "./database_file.ts";

/*
 * A file in the data directory says that its store was exported to be used elsewhere. A server on the old store would
 * be a second one with the same ID, and clients would take both for one store.
 */

/** Marks a store as moved, durably. @param output the file that has its content @throws Error that names the mark */
export function markMoved(dataDir: string, storeId: string, output: string): void {
  const mark = markPath(dataDir);
  naming(mark, () => {
    using file = new NewFile(mark, 0o600);
    file.write(`${storeId} was exported to ${output}\n`);
    file.keep();
    // Root may have exported the store. The user of the server must be able to read why it does not start.
    const { uid, gid } = Deno.statSync(dataDir);
    Deno.chownSync(mark, uid, gid);
  });
}

/** @throws StoreFileError when the store was moved. The mark of another store, which was here before, does not count */
export function rejectMoved(database: string, storeId: string): void {
  const mark = markPath(directoryOf(database));
  if (!isThere(mark)) return;
  const text = Deno.readTextFileSync(mark).trimEnd();
  if (!text.startsWith(`${storeId} `)) return;
  const remedy = `if the export is not in use, remove ${mark} to start here again`;
  throw new StoreFileError(`${database} has moved: store ${text}; ${remedy}`);
}

function markPath(dataDir: string): string {
  return pathIn(dataDir, "service.moved");
}
