import { contractOfDirections } from "./directions.ts";
import { contractOfFollowers } from "./followers.ts";
import { contractOfGroups } from "./groups.ts";
import { contractOfLife } from "./life.ts";
import { contractOfProofs } from "./proofs.ts";
import { contractOfMasterKeys } from "./master_keys.ts";
import { contractOfReads } from "./reads.ts";
import { contractOfForgetting } from "./forgetting.ts";
import { contractOfSubjects } from "./subjects.ts";
import { SUBJECTS } from "./subject_writes.ts";
import { contractOfWriter } from "./writer.ts";
import { contractOfWaiting } from "./waiting.ts";
import type { StoreTest, StoreUnderTest } from "./store_test.ts";

/*
 * The contract of every store, whatever its storage, expressed through its interface only. A store joins by defining
 * how to open it. Tests of only one kind of store are in its own files.
 */

/** @param open opens a new store with these subjects */
export function storeContract(
  name: string,
  open: (subjects: readonly string[]) => Promise<StoreUnderTest>,
): void {
  const testWith = (subjects: readonly string[]): StoreTest => (what, run) => {
    Deno.test(`${name}: ${what}`, async () => {
      await using subject = await open(subjects);
      await run(subject.store, subject);
    });
  };
  const test = testWith([]);
  contractOfGroups(test);
  contractOfWriter(test);
  contractOfReads(test);
  contractOfProofs(test);
  contractOfDirections(test);
  contractOfWaiting(test);
  contractOfFollowers(test);
  contractOfLife(test);
  contractOfSubjects(testWith(SUBJECTS), test);
  contractOfForgetting(testWith(SUBJECTS));
  contractOfMasterKeys(testWith(SUBJECTS));
}
