import type { Store } from "./store.ts";

/**
 * The role of a server next to the active one, where only one server may be active: it waits until it may take over.
 */
export interface Standby {
  /** The store ID, as of the last query to the database. */
  readonly storeId: string;
  /**
   * Why the server could not take over even if the active one ended. An example is a database that cannot be reached.
   */
  readonly fault: string | undefined;
  /**
   * Waits until no other server is active, and opens the store as it is then.
   * @returns undefined after `close`
   */
  takeOver(): Promise<Store | undefined>;
  close(): Promise<void>;
}

/** The role in which a server starts. */
export interface FirstRole {
  /** undefined when another server is active. */
  readonly store: Store | undefined;
  /** undefined where no other server takes over. */
  readonly standby: Standby | undefined;
}
