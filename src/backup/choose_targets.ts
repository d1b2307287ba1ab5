import { ConfigError } from "../config/config_error.ts";
import { isStoreId, targetStoreIds } from "./targets.ts";
import type { VerbCall } from "./verb_call.ts";

/**
 * The backups that a verb is about: the named one, or all of them.
 * @throws Error when there is none, ConfigError when the name can't be one
 */
export function chooseTargets({ dataDir, flags }: VerbCall): string[] {
  const wanted = flags.argument;
  if (wanted !== undefined && !isStoreId(wanted)) {
    throw new ConfigError([`${JSON.stringify(wanted)} is not a store ID; "list" shows those of the backups`]);
  }
  const storeIds = targetStoreIds(dataDir);
  if (storeIds.length === 0) throw new Error(`there is no backup in ${dataDir}`);
  if (wanted === undefined) return storeIds;
  if (!storeIds.includes(wanted)) throw new Error(`there is no backup of store ${wanted} in ${dataDir}`);
  return [wanted];
}

/**
 * The one backup that a verb is about: the named one, or the only one.
 * @throws Error when there is none, or more than one
 */
export function chooseTarget(call: VerbCall): string {
  const [storeId, ...others] = chooseTargets(call);
  if (others.length === 0) return storeId!;
  throw new Error(`${call.dataDir} holds more than one backup; name one: ${[storeId, ...others].join(", ")}`);
}
