import assert from "node:assert/strict";
import type { Store } from "../../../src/store/api/store.ts";
import { newEvent, storeWrite, tag } from "../made_writes.ts";
import { DONE, written } from "../outcomes.ts";
import type { StoreTest } from "./store_test.ts";
import { aboutStudent, forgetting, payloadsOf, SUBJECTS, subjectsOf } from "./subject_writes.ts";

/** Two master keys, and their IDs: the first 8 bytes of their SHA-256. */
export const [FIRST, SECOND] = [new Uint8Array(32).fill(1).toBase64(), new Uint8Array(32).fill(2).toBase64()];
export const [FIRST_ID, SECOND_ID] = ["72cd6e8422c407fb", "75877bb41d393b5f"];

/** Resolves with what a store that was just opened reports about its keys. */
export function wrapped(store: Store): Promise<string> {
  return new Promise((resolve) => {
    store.onNotice = ({ kind, reason }) => void (kind === "keysWrapped" && resolve(reason!));
  });
}

/** A master key wraps the keys of subjects. */
export function contractOfMasterKeys(test: StoreTest): void {
  test(
    "with a master key, clients notice nothing, and without it the store does not open",
    async (plain, subject) => {
      await plain.writer.group([aboutStudent("a"), aboutStudent("b", "s2"), forgetting("s2")]);
      const before = await subjectsOf(plain);
      const store = await subject.reopen(SUBJECTS, [FIRST]);
      await wrapped(store);
      for (const outcome of await store.writer.group([aboutStudent("c"), aboutStudent("d", "s3")])) {
        written(outcome);
      }
      assert.deepEqual(await store.writer.begin(), DONE);
      written(await store.writer.writeInside(aboutStudent("e", "s4")));
      const inside = await payloadsOf({ chunk: (request) => store.writer.readChunkInside(request) });
      assert.deepEqual(inside, ["a", ["student"], "c", "d", "e"]);
      await store.writer.commit();
      assert.deepEqual(await payloadsOf(store.reads), inside);
      assert.deepEqual((await subjectsOf(store)).slice(0, 2), before, "the same keys");
      written((await store.writer.group([forgetting("s3")]))[0]);
      const lacks = new RegExp(`wrapped with the master key ${FIRST_ID}, which neither masterKeyFile nor`);
      for (const others of [[], [SECOND]]) await assert.rejects(subject.reopen(SUBJECTS, others), lacks);
      const again = await subject.reopen(SUBJECTS, [FIRST]);
      assert.deepEqual(await payloadsOf(again.reads), ["a", ["student"], "c", ["student"], "e"]);
      assert.deepEqual((await subjectsOf(again)).map(({ key }) => key?.length), [
        32,
        undefined,
        undefined,
        32,
      ]);
    },
  );

  test(
    "keys are wrapped after a start, and with another master key after the next one",
    async (plain, subject) => {
      const students = Array.from(
        { length: 1200 },
        (_, i) => newEvent("t", [tag("student", `s${i}`)], `${i}`),
      );
      written((await plain.writer.group([storeWrite(students)]))[0]);
      const all = await subjectsOf(plain);
      const payloads: unknown[] = students.map((_, i) => `${i}`);
      for (const [turn, masterKeys] of [[FIRST], [SECOND, FIRST]].entries()) {
        const store = await subject.reopen(SUBJECTS, masterKeys);
        const reported = wrapped(store);
        const writes = [forgetting(`s${turn}`), aboutStudent("new", `new ${turn}`)];
        for (const outcome of await store.writer.group(writes)) written(outcome);
        payloads[turn] = ["student"];
        payloads.push("new");
        assert.deepEqual(await payloadsOf(store.reads), payloads, "meanwhile");
        const id = [FIRST_ID, SECOND_ID][turn];
        assert.equal(
          await reported,
          `all keys of subjects (1200) are wrapped with the master key ${id}; earlier ones can be removed`,
        );
      }
      const store = await subject.reopen(SUBJECTS, [SECOND]);
      assert.deepEqual(await payloadsOf(store.reads), payloads);
      const kept = (await subjectsOf(store)).slice(2, 1200);
      assert.deepEqual(kept, all.slice(2), "the same keys");
    },
  );

  test(
    "a server that stops before all keys are wrapped leaves the rest to the next one",
    async (plain, subject) => {
      const students = Array.from(
        { length: 1200 },
        (_, i) => newEvent("t", [tag("student", `s${i}`)], `${i}`),
      );
      written((await plain.writer.group([storeWrite(students)]))[0]);
      await subject.reopen(SUBJECTS, [FIRST]);
      const next = await subject.reopen(SUBJECTS, [SECOND, FIRST]);
      assert.match(
        await wrapped(next),
        new RegExp(`\\(1200\\) are wrapped with the master key ${SECOND_ID}`),
      );
      const last = await subject.reopen(SUBJECTS, [SECOND]);
      assert.deepEqual(
        await payloadsOf(last.reads),
        students.map((_, i) => `${i}`),
      );
    },
  );
}
