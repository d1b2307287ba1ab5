import { pathIn } from "../../files/paths.ts";

const FILE_NAME = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.db$/;

/** True for a store ID of the form that the server generates, which is safe in a path. */
export function isStoreId(text: string): boolean {
  return FILE_NAME.test(`${text}.db`);
}

/** The database file that holds the backup of a store. */
export function backupPath(dataDir: string, storeId: string): string {
  return pathIn(dataDir, `${storeId}.db`);
}

/** Returns the stores whose backups a directory contains, in order; none when there is no such directory. */
export function backedUpStoreIds(dataDir: string): string[] {
  try {
    return [...Deno.readDirSync(dataDir)].flatMap(({ name }) => FILE_NAME.exec(name)?.[1] ?? []).sort();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}
