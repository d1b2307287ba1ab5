import { type PostgresAddress, postgresAddressText } from "../../../config/postgres_url.ts";

/** Where a store is: the tables are in a schema of their own, in a database that may hold other things. */
export interface StorePlace {
  readonly address: PostgresAddress;
  /** Replicas from which pages may be read. */
  readonly readAddress?: PostgresAddress | undefined;
  readonly schema: string;
}

/** A store on PostgreSQL that cannot be opened or created, in one line for the operator. */
export class PostgresStoreError extends Error {
  override readonly name = "PostgresStoreError";

  constructor(place: StorePlace, reason: string) {
    super(`the store in ${placeText(place)}: ${reason}`);
  }
}

export function placeText({ address, schema }: StorePlace): string {
  return `schema ${schema} of ${postgresAddressText(address)}`;
}
