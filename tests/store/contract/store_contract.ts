import type { Store } from "../../../src/store/store.ts";
import { contractOfDirections } from "./directions.ts";
import { contractOfFollowers } from "./followers.ts";
import { contractOfGroups } from "./groups.ts";
import { contractOfLife } from "./life.ts";
import { contractOfReads } from "./reads.ts";
import { contractOfWriter } from "./writer.ts";
import { contractOfWaiting } from "./waiting.ts";

/*
 * What every store must keep, whatever it is made of, in the words of its interface only. A store joins by
 * saying how it is opened; what only one kind of store does is tested in its own files.
 */

/** A new store that a test has for itself. */
export interface StoreUnderTest extends AsyncDisposable {
  readonly store: Store;
  /** Closes the store and opens it again. */
  reopen(): Promise<Store>;
}

/** Registers one test of the contract. */
export type StoreTest = (name: string, run: (store: Store, subject: StoreUnderTest) => Promise<void>) => void;

export function storeContract(name: string, open: () => Promise<StoreUnderTest>): void {
  const test: StoreTest = (what, run) => {
    Deno.test(`${name}: ${what}`, async () => {
      await using subject = await open();
      await run(subject.store, subject);
    });
  };
  contractOfGroups(test);
  contractOfWriter(test);
  contractOfReads(test);
  contractOfDirections(test);
  contractOfWaiting(test);
  contractOfFollowers(test);
  contractOfLife(test);
}
