import assert from "node:assert/strict";
import { newSubjectKey } from "../../../src/store/core/sealing/subject_key.ts";
import { EVERYTHING } from "../chunks.ts";
import { newEvent, ofTypes, queryOf, storeWrite, tag } from "../made_writes.ts";
import { DONE, kindOf, written } from "../outcomes.ts";
import type { StoreTest } from "./store_test.ts";
import {
  about,
  aboutStudent,
  forgetting,
  linesOf,
  payloadsOf,
  SUBJECTS,
  subjectsOf,
} from "./subject_writes.ts";

/** Encrypted payloads, and the keys of their subjects. @param testWithout registers a test on a store without subjects */
export function contractOfSubjects(test: StoreTest, testWithout: StoreTest): void {
  payloads(test);
  pages(test);
  keys(test);
  transactions(test);
  openings(test, testWithout);
}

function payloads(test: StoreTest): void {
  test("payloads of subjects are stored encrypted, and read as they were sent", async (store) => {
    const texts = [
      "",
      "plain",
      '"\\\n\u0000',
      "\ud83d\ude00",
      '},"payload":"","sealed":',
      "x".repeat(70_000),
    ];
    const [outcome] = await store.writer.group([
      storeWrite([
        ...texts.map((text) => newEvent("t", [tag("student", "s1")], text)),
        newEvent("t", [tag("course", "c1")], "of no subject"),
        newEvent("t", [tag("customer", "k"), tag("course", "c1"), tag("student", "s1")], "of two"),
      ]),
    ]);
    assert.equal(written(outcome).hadKey, undefined);
    const all = [...texts, "of no subject", "of two"];
    assert.deepEqual(await payloadsOf(store.reads), all);
    const stored = await linesOf(store.reads, { stored: true });
    assert.deepEqual(
      stored.map(({ payload }) => payload),
      all.map((text) => text === "of no subject" ? text : ""),
    );
    assert.doesNotMatch(JSON.stringify(stored), /plain|of two|xxxxx/);
    const [student, customer] = (await subjectsOf(store)).map(({ id }) => id);
    const sealedBy = stored.map(({ sealed }) => (sealed as { keys: unknown } | undefined)?.keys);
    const byStudent = [["student", student]];
    assert.deepEqual(sealedBy, [...texts.map(() => byStudent), undefined, [
      ["customer", customer],
      ...byStudent,
    ]]);
  });

  test("names and values of subjects are any text, and each is a subject of its own", async (store) => {
    const values = ["", "\u0000", "a\u0000b", '"\\{},', "\ufeffa", "\ud83d\ude00", "v".repeat(8000)];
    const writes = values.flatMap((value) => [aboutStudent(value, value), about(value, ["customer", value])]);
    for (const outcome of await store.writer.group(writes)) written(outcome);
    assert.deepEqual(await payloadsOf(store.reads), values.flatMap((value) => [value, value]));
    const subjects = (await subjectsOf(store)).map(({ subject }) => subject);
    assert.deepEqual(subjects, values.flatMap((value) => [tag("student", value), tag("customer", value)]));
    const outcomes = await store.writer.group(values.map((value) => forgetting(value)));
    assert.deepEqual(outcomes.map((outcome) => written(outcome).hadKey), values.map(() => true));
    assert.deepEqual(await payloadsOf(store.reads), values.flatMap((value) => [["student"], value]));
  });
}

function pages(test: StoreTest): void {
  test("every kind of page is decrypted, over all of its chunks", async (store) => {
    const payload = (i: number): string => `${i}`.padEnd(3000, ".");
    const events = Array.from(
      { length: 300 },
      (_, i) => newEvent("t", [tag("student", `s${i % 3}`)], payload(i)),
    );
    for (let i = 0; i < events.length; i += 100) {
      written((await store.writer.group([storeWrite(events.slice(i, i + 100))]))[0]);
    }
    written((await store.writer.group([forgetting("s1")]))[0]);
    const time = { fromMicros: 0, beforeMicros: 2_000_000_000_000_000 };
    const expected = events.map((_, i) => i % 3 === 1 ? ["student"] : payload(i));
    for (const query of ["every", queryOf(["t"])] as const) {
      for (const more of [{}, { time }, { limit: 7 }, { afterSequence: 250 }]) {
        const page = { query, ...more };
        const { limit = Infinity, afterSequence = 0 } = page as { limit?: number; afterSequence?: number };
        const found = await payloadsOf(store.reads, page);
        assert.deepEqual(found, expected.slice(afterSequence).slice(0, limit));
        const backwards = await payloadsOf(store.reads, { ...page, backwards: true });
        assert.deepEqual(backwards, expected.slice(afterSequence).toReversed().slice(0, limit));
      }
    }
    const ofOne = queryOf([], [tag("student", "s2")]);
    assert.deepEqual(await payloadsOf(store.reads, { query: ofOne }), expected.filter((_, i) => i % 3 === 2));
  });
}

function keys(test: StoreTest): void {
  test("a subject keeps its key, and all keys are listed in the order in which they were made", async (store) => {
    const names = Array.from({ length: 1100 }, (_, i) => `s${i}`);
    written(
      (await store.writer.group([storeWrite(names.map((name) => newEvent("t", [tag("student", name)])))]))[0],
    );
    const first = await subjectsOf(store);
    assert.deepEqual(first.map(({ subject }) => subject.value), names);
    for (const { id, key, forgottenMicros } of first) {
      assert.match(id, /^[A-Za-z0-9_-]{16}$/);
      assert.deepEqual([key?.length, forgottenMicros], [newSubjectKey().bytes.length, undefined]);
    }
    assert.equal(new Set(first.map(({ id }) => id)).size, names.length);
    const again = [aboutStudent("a", "s0"), aboutStudent("b", "s1099"), about("c", ["customer", "s0"])];
    for (const outcome of await store.writer.group(again)) written(outcome);
    const second = await subjectsOf(store);
    assert.deepEqual(second.slice(0, -1), first);
    assert.deepEqual(second.at(-1)!.subject, tag("customer", "s0"));
    assert.equal((await store.reads.subjects(0)).storeId, store.storeId);
  });

  test("a reset destroys all keys", async (store) => {
    await store.writer.group([aboutStudent("a"), forgetting(), aboutStudent("b")]);
    assert.equal((await subjectsOf(store)).length, 2);
    assert.deepEqual(await store.writer.reset(), DONE);
    assert.deepEqual(await subjectsOf(store), []);
    assert.equal(kindOf((await store.writer.group([forgetting()]))[0]), "unknownSubject");
    written((await store.writer.group([aboutStudent("c")]))[0]);
    assert.deepEqual(await payloadsOf(store.reads), ["c"]);
  });
}

function transactions(test: StoreTest): void {
  test("an open transaction reads what it has encrypted, and a rollback leaves no key", async (store) => {
    written((await store.writer.group([aboutStudent("old")]))[0]);
    const inside = (): Promise<unknown[]> =>
      payloadsOf({ chunk: (request) => store.writer.readChunkInside(request) });
    for (const end of ["rollback", "commit"] as const) {
      assert.deepEqual(await store.writer.begin(), DONE);
      written(await store.writer.writeInside(aboutStudent("a")));
      written(await store.writer.writeInside(aboutStudent("b", "new")));
      written(await store.writer.writeInside(aboutStudent("c", "new")));
      assert.deepEqual(await inside(), ["old", "a", "b", "c"]);
      const stored = await store.writer.readChunkInside({ ...EVERYTHING, stored: true });
      assert.match(new TextDecoder().decode(stored.lines), /"payload":"","sealed":/);
      assert.deepEqual(await payloadsOf(store.reads), ["old"]);
      assert.equal((await subjectsOf(store)).length, 1);
      await store.writer[end]();
    }
    assert.deepEqual(await payloadsOf(store.reads), ["old", "a", "b", "c"]);
    assert.deepEqual((await subjectsOf(store)).map(({ subject }) => subject.value), ["s1", "new"]);
  });

  test("a write that conflicts makes no key, and the writes after it do", async (store) => {
    const condition = { failIfEventsMatch: queryOf(["t"]), afterSequence: 0 };
    const failing = { ...aboutStudent("no", "none"), conditions: [condition] };
    const outcomes = await store.writer.group([aboutStudent("a"), failing, aboutStudent("b", "s2")]);
    assert.deepEqual(outcomes.map(kindOf), ["written", "conflict", "written"]);
    assert.deepEqual((await subjectsOf(store)).map(({ subject }) => subject.value), ["s1", "s2"]);
  });

  test("writes that join a group encrypt with the keys that the group has made", async (store) => {
    const late = [aboutStudent("late"), aboutStudent("other", "s2"), ofTypes("plain"), forgetting("s3")];
    const joining = [late];
    const first = [aboutStudent("first"), aboutStudent("third", "s3")];
    const outcomes = [...await store.writer.group(first, () => joining.pop() ?? [])];
    // A store may let none join.
    for (const rest of joining) outcomes.push(...await store.writer.group(rest));
    assert.deepEqual(outcomes.map(kindOf), Array(6).fill("written"));
    assert.deepEqual(await payloadsOf(store.reads), ["first", ["student"], "late", "other", ""]);
    assert.deepEqual((await subjectsOf(store)).map(({ subject }) => subject.value), ["s1", "s3", "s2"]);
  });
}

function openings(test: StoreTest, testWithout: StoreTest): void {
  test("keys survive a restart, and no server without subjects opens the store", async (store, subject) => {
    await store.writer.group([aboutStudent("a"), aboutStudent("b", "s2"), forgetting("s2")]);
    const before = await subjectsOf(store);
    await assert.rejects(
      subject.reopen([]),
      /it holds encrypted payloads, but the setting subjects names no/,
    );
    const again = await subject.reopen(["student"]);
    assert.deepEqual(await subjectsOf(again), before);
    assert.deepEqual(await payloadsOf(again.reads), ["a", ["student"]]);
    written((await again.writer.group([aboutStudent("c")]))[0]);
    assert.deepEqual(await payloadsOf(again.reads), ["a", ["student"], "c"]);
    assert.equal((await subjectsOf(again)).length, 2);
  });

  testWithout("subjects can be set later: then new payloads are encrypted", async (store, subject) => {
    await store.writer.group([aboutStudent("before")]);
    assert.equal(kindOf((await store.writer.group([forgetting()]))[0]), "unknownSubject");
    const again = await subject.reopen(SUBJECTS);
    assert.equal(again.opened.storeId, store.opened.storeId);
    assert.equal(kindOf((await again.writer.group([forgetting()]))[0]), "unknownSubject", "it has no key");
    written((await again.writer.group([aboutStudent("after")]))[0]);
    written((await again.writer.group([forgetting()]))[0]);
    assert.deepEqual(await payloadsOf(again.reads), ["before", ["student"]]);
  });
}
