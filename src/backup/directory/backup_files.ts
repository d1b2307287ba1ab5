import { UsageError } from "../../config/config_error.ts";
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

/**
 * Returns the stores whose backups a verb works on: the wanted one, or all.
 * @throws Error when there is none, UsageError when the wanted one cannot be a store ID
 */
export function chooseBackups(dataDir: string, wanted: string | undefined): string[] {
  if (wanted !== undefined && !isStoreId(wanted)) {
    throw new UsageError([`${JSON.stringify(wanted)} is not a store ID; "list" shows the store IDs`]);
  }
  const storeIds = backedUpStoreIds(dataDir);
  if (storeIds.length === 0) throw new Error(`there is no backup in ${dataDir}`);
  if (wanted === undefined) return storeIds;
  if (!storeIds.includes(wanted)) throw new Error(`there is no backup of store ${wanted} in ${dataDir}`);
  return [wanted];
}

/**
 * Returns the store whose backup a verb works on: the wanted one, or the only one.
 * @throws as `chooseBackups`, and Error when there is more than one
 */
export function chooseBackup(dataDir: string, wanted: string | undefined): string {
  const [storeId, ...others] = chooseBackups(dataDir, wanted);
  if (others.length === 0) return storeId!;
  throw new Error(`${dataDir} holds more than one backup; name one: ${[storeId, ...others].join(", ")}`);
}
