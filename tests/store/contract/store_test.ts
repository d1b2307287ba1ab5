import type { Store } from "../../../src/store/api/store.ts";

/** A new store for one test alone. */
export interface StoreUnderTest extends AsyncDisposable {
  readonly store: Store;
  /**
   * Closes the store and opens it again.
   * @param subjects the names of its subjects, if they change
   * @param masterKeys in Base64
   */
  reopen(subjects?: readonly string[], masterKeys?: readonly string[]): Promise<Store>;
}

/** Registers one test of the contract. */
export type StoreTest = (name: string, run: (store: Store, subject: StoreUnderTest) => Promise<void>) => void;
