import { pathIn } from "../store/path_in.ts";

const TARGET_NAME = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.db$/;

/** Whether this is a store ID as this program's servers draw them, and so fit to be part of a path. */
export function isStoreId(text: string): boolean {
  return TARGET_NAME.test(`${text}.db`);
}

/** The database file that holds the backup of a store. */
export function targetPath(dataDir: string, storeId: string): string {
  return pathIn(dataDir, `${storeId}.db`);
}

/** The stores of which a directory holds backups, in order; none when there is no such directory. */
export function targetStoreIds(dataDir: string): string[] {
  try {
    return [...Deno.readDirSync(dataDir)].flatMap(({ name }) => TARGET_NAME.exec(name)?.[1] ?? []).sort();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}
