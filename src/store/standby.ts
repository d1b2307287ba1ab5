import type { Store } from "./store.ts";

/** A server's place beside the one that is active, where only one may be: it waits until it may take over. */
export interface Standby {
  /** The store ID, as of the last time that the database was asked. */
  readonly storeId: string;
  /** Why it could not even take over if the active server ended, such as a database that cannot be reached. */
  readonly fault: string | undefined;
  /**
   * Waits until no other server is active, and opens the store as it is then.
   * @returns undefined once it was closed
   */
  takeOver(): Promise<Store | undefined>;
  close(): Promise<void>;
}

/** What a server begins with. */
export interface FirstRole {
  /** undefined when another server is active. */
  readonly store: Store | undefined;
  /** undefined where no other server takes over. */
  readonly standby: Standby | undefined;
}
