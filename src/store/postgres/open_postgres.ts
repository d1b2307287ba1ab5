import type { StorePlace } from "./connection/place.ts";
import { PostgresStandby } from "./postgres_standby.ts";
import { PostgresStore, type PostgresStoreOptions } from "./postgres_store.ts";
import { StoreInUse } from "./servers/claim.ts";

/** What a server on PostgreSQL begins with. */
export interface FirstRole {
  /** undefined when another server has the store to itself. */
  readonly store: PostgresStore | undefined;
  /** undefined where servers share the store. */
  readonly standby: PostgresStandby | undefined;
}

/**
 * Opens the store of a server, or takes a place beside the server that has it to itself.
 * @throws PostgresStoreError
 */
export async function openPostgres(place: StorePlace, options: PostgresStoreOptions): Promise<FirstRole> {
  if (options.servers === "shared") {
    return { store: await PostgresStore.open(place, options), standby: undefined };
  }
  const standby = new PostgresStandby(place, options);
  try {
    return { store: await PostgresStore.open(place, options), standby };
  } catch (error) {
    if (!(error instanceof StoreInUse)) throw error;
    standby.storeId = error.storeId;
    return { store: undefined, standby };
  }
}
