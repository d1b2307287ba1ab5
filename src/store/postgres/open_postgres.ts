import type { FirstRole } from "../api/standby.ts";
import type { PostgresLocation } from "./connection/address.ts";
import { PostgresStandby } from "./postgres_standby.ts";
import { PostgresStore, type PostgresStoreOptions } from "./postgres_store.ts";
import { StoreInUse } from "./cluster/write_ownership.ts";

/**
 * Opens the store of a server. If another server has the store exclusively, this one stands by.
 * @throws PostgresStoreError
 */
export async function openPostgres(
  location: PostgresLocation,
  options: PostgresStoreOptions,
): Promise<FirstRole> {
  if (options.servers === "shared") {
    return { store: await PostgresStore.open(location, options), standby: undefined };
  }
  const standby = new PostgresStandby(location, options);
  try {
    const store = standby.served = await PostgresStore.open(location, options);
    return { store, standby };
  } catch (error) {
    if (!(error instanceof StoreInUse)) throw error;
    standby.storeId = error.storeId;
    return { store: undefined, standby };
  }
}
