import assert from "node:assert/strict";
import type { Store } from "../../../src/store/api/store.ts";
import type { StoreWrite } from "../../../src/store/api/write.ts";
import { seededRandom, testSeed } from "../../support/test_seed.ts";
import { newEvent, ofTypes, queryOf, storeWrite, tag } from "../made_writes.ts";
import { DONE, kindOf, written } from "../outcomes.ts";
import type { StoreTest } from "./store_test.ts";
import { about, aboutStudent, forgetting, payloadsOf, SUBJECTS, subjectsOf } from "./subject_writes.ts";

const FORGOTTEN = ["student"];

/** Forgetting a subject destroys its key. */
export function contractOfForgetting(test: StoreTest): void {
  results(test);
  groups(test);
  severalSubjects(test);
  property(test);
}

async function forget(store: Store, ...args: Parameters<typeof forgetting>): Promise<boolean | undefined> {
  return written((await store.writer.group([forgetting(...args)]))[0]).hadKey;
}

function results(test: StoreTest): void {
  test("forgetting says whether there was a key, and an unknown subject writes nothing", async (store) => {
    const unknown = forgetting("s1", "student", ofTypes("not written"));
    assert.equal(kindOf((await store.writer.group([unknown]))[0]), "unknownSubject");
    await store.writer.group([aboutStudent("a"), aboutStudent("b", "s2")]);
    const before = await subjectsOf(store);
    assert.equal(await forget(store), true);
    assert.equal(await forget(store), false);
    assert.equal(kindOf((await store.writer.group([forgetting("s1", "customer")]))[0]), "unknownSubject");
    assert.deepEqual(await payloadsOf(store.reads), [FORGOTTEN, "b"]);
    const [first, second] = await subjectsOf(store);
    assert.deepEqual(second, before[1]);
    assert.deepEqual([first!.id, first!.subject, first!.key], [
      before[0]!.id,
      tag("student", "s1"),
      undefined,
    ]);
    assert.ok(Math.abs(first!.forgottenMicros! / 1000 - Date.now()) < 60_000);
  });

  test("a forgotten subject begins again with a new key, and can be forgotten again", async (store) => {
    for (let i = 0; i < 3; i++) {
      written((await store.writer.group([aboutStudent(`${i}`)]))[0]);
      assert.deepEqual((await payloadsOf(store.reads)).slice(i), [`${i}`]);
      assert.equal(await forget(store), true);
      assert.deepEqual(await payloadsOf(store.reads), Array(i + 1).fill(FORGOTTEN));
    }
    const subjects = await subjectsOf(store);
    assert.equal(new Set(subjects.map(({ id }) => id)).size, 3);
    assert.ok(
      subjects.every(({ key, forgottenMicros }) => key === undefined && forgottenMicros !== undefined),
    );
  });

  test("a forgetting that conflicts changes nothing", async (store) => {
    await store.writer.group([aboutStudent("a")]);
    const conditions = [{ failIfEventsMatch: queryOf(["t"]), afterSequence: 0 }];
    const [outcome] = await store.writer.group([{ ...forgetting(), conditions }]);
    assert.equal(kindOf(outcome), "conflict");
    assert.deepEqual(await payloadsOf(store.reads), ["a"]);
    assert.equal(await forget(store), true);
  });

  test("events that come with a forgetting are readable, with a new key", async (store) => {
    await store.writer.group([aboutStudent("a")]);
    const event = storeWrite([newEvent("forgotten", [tag("student", "s1")], "on request")]);
    const [outcome] = await store.writer.group([forgetting("s1", "student", event)]);
    assert.deepEqual([written(outcome).hadKey, written(outcome).firstSequence], [true, 2]);
    assert.deepEqual(await payloadsOf(store.reads), [FORGOTTEN, "on request"]);
    assert.equal((await subjectsOf(store)).length, 2);
  });
}

function groups(test: StoreTest): void {
  test("in a group, writes before a forgetting use the old key, and later ones a new key", async (store) => {
    for (const hasKey of [false, true]) {
      const value = `s ${hasKey}`;
      if (hasKey) written((await store.writer.group([aboutStudent("earlier", value)]))[0]);
      const head = (await payloadsOf(store.reads)).length;
      const outcomes = await store.writer.group([
        aboutStudent("1", value),
        forgetting(value),
        forgetting(value),
        aboutStudent("2", value),
        forgetting(value),
        aboutStudent("3", value),
        aboutStudent("4", value),
      ]);
      const had = outcomes.map((outcome) => written(outcome).hadKey);
      assert.deepEqual(had, [undefined, true, false, undefined, true, undefined, undefined]);
      const after = (await payloadsOf(store.reads)).slice(head);
      assert.deepEqual(after, [FORGOTTEN, FORGOTTEN, "3", "4"]);
      const its = (await subjectsOf(store)).filter(({ subject }) => subject.value === value);
      assert.deepEqual(its.map(({ key }) => key !== undefined), [false, false, true]);
    }
  });

  test("an open transaction forgets, and its rollback brings the key back", async (store) => {
    await store.writer.group([aboutStudent("a")]);
    const inside = { chunk: store.writer.readChunkInside.bind(store.writer) };
    for (const end of ["rollback", "commit"] as const) {
      assert.deepEqual(await store.writer.begin(), DONE);
      assert.equal(written(await store.writer.writeInside(forgetting())).hadKey, true);
      assert.equal(kindOf(await store.writer.writeInside(forgetting("unknown"))), "unknownSubject");
      assert.equal(written(await store.writer.writeInside(forgetting())).hadKey, false);
      assert.deepEqual(await payloadsOf(inside), [FORGOTTEN]);
      assert.deepEqual(await payloadsOf(store.reads), ["a"]);
      await store.writer[end]();
    }
    assert.deepEqual(await payloadsOf(store.reads), [FORGOTTEN]);
  });
}

function severalSubjects(test: StoreTest): void {
  test("forgetting one of several subjects of an event suffices", async (store) => {
    const both = about("both", ["student", "s1"], ["customer", "k1"]);
    const swapped = about("swapped", ["customer", "k1"], ["student", "s1"]);
    const twoStudents = about("two", ["student", "s2"], ["student", "s1"]);
    for (const outcome of await store.writer.group([both, swapped, twoStudents, aboutStudent("one", "s2")])) {
      written(outcome);
    }
    assert.deepEqual(await payloadsOf(store.reads), ["both", "swapped", "two", "one"]);
    await forget(store, "k1", "customer");
    assert.deepEqual(await payloadsOf(store.reads), [["customer"], ["customer"], "two", "one"]);
    await forget(store, "s1");
    const all = [["student", "customer"], ["customer", "student"], FORGOTTEN, "one"];
    const found = (await payloadsOf(store.reads)).map((payload) => payload as unknown);
    assert.deepEqual(found.map((names) => Array.isArray(names) ? names.toSorted() : names), [
      ...all.map((names) => Array.isArray(names) ? names.toSorted() : names),
    ]);
  });
}

/** A store as it should be read: the payload of each event, and the subjects that it still has. */
interface Model {
  readonly events: { readonly payload: string; readonly subjects: [string, string][]; gone: Set<string> }[];
}

function property(test: StoreTest): void {
  test("at all times, exactly the payloads of the forgotten are empty", async (store, subject) => {
    const seed = testSeed();
    const random = seededRandom(seed);
    const model: Model = { events: [] };
    let now = store;
    for (let round = 0; round < 25; round++) {
      const group = Array.from(
        { length: 1 + random(6) },
        (_, i) => randomWrite(random, model, `${round}.${i}`),
      );
      const isInside = random(3) === 0;
      if (isInside) {
        await now.writer.begin();
        for (const write of group) written(await now.writer.writeInside(write));
        await now.writer.commit();
      } else {
        for (const outcome of await now.writer.group(group)) {
          assert.ok(["written", "unknownSubject"].includes(kindOf(outcome)!), `seed ${seed}`);
        }
      }
      const expected = model.events.map(({ payload, gone }) => gone.size === 0 ? payload : [...gone].sort());
      const found = (await payloadsOf(now.reads)).map((payload) =>
        Array.isArray(payload) ? payload.toSorted() : payload
      );
      assert.deepEqual(found, expected, `seed ${seed}, round ${round}`);
      if (random(8) === 0) now = await subject.reopen();
    }
  });
}

/** Makes a random write, and applies it to the model. */
function randomWrite(random: (below: number) => number, { events }: Model, payload: string): StoreWrite {
  const value = (): string => `v${random(3)}`;
  const name = (): string => SUBJECTS[random(SUBJECTS.length)]!;
  const known = events.flatMap(({ subjects }) => subjects);
  if (random(3) === 0 && known.length > 0) {
    const [its, who] = known[random(known.length)]!;
    for (const event of events) {
      if (event.subjects.some(([one, other]) => one === its && other === who)) event.gone.add(its);
    }
    return forgetting(who, its);
  }
  const subjects: [string, string][] = Array.from({ length: random(4) }, () => [name(), value()]);
  events.push({ payload, subjects, gone: new Set() });
  return about(payload, ...subjects);
}
