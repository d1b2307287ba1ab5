import { type PostgresAddress, postgresAddressText } from "../../../config/postgres_url.ts";
import { DatabaseError } from "../protocol/errors.ts";

/** The location of a store. Its tables have their own schema, in a database that may hold other things. */
export interface PostgresLocation {
  readonly address: PostgresAddress;
  /** Replicas from which pages may be read. */
  readonly readAddress?: PostgresAddress | undefined;
  readonly schema: string;
}

/** A store on PostgreSQL cannot be opened or created. The message is one line for the operator. */
export class PostgresStoreError extends Error {
  override readonly name = "PostgresStoreError";

  constructor(location: PostgresLocation, reason: string) {
    super(`the store in ${locationText(location)}: ${reason}`);
  }
}

const INSUFFICIENT_PRIVILEGE = "42501";

/** Describes an error, and says what to do about missing rights. */
export function reasonOf(error: unknown): string {
  const { message } = error as Error;
  const isForbidden = error instanceof DatabaseError && error.code === INSUFFICIENT_PRIVILEGE;
  return isForbidden ? `${message}; its owner can create it with eventstore-init` : message;
}

export function locationText({ address, schema }: PostgresLocation): string {
  return `schema ${schema} of ${postgresAddressText(address)}`;
}
