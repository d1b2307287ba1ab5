import assert from "node:assert/strict";
import type { Store } from "../../../src/store/api/store.ts";
import { EVERYTHING, typesOf } from "../chunks.ts";
import { changing, ofTypes, storeWrite, unless } from "../made_writes.ts";
import { DONE, kindOf, written } from "../outcomes.ts";
import type { StoreTest } from "./store_test.ts";

const KEY = { type: "p", id: "1" };
const CREATE = { create: [{ ...KEY, payload: "x" }] };

/** Transactions that stay open over several calls. */
export function contractOfWriter(test: StoreTest): void {
  visibility(test);
  memory(test);
  ends(test);
}

function visibility(test: StoreTest): void {
  test("calls inside a transaction see its writes, reads only committed ones", async (store) => {
    await store.writer.group([ofTypes("old")]);
    assert.deepEqual(await store.writer.begin(), DONE);
    const first = written(await store.writer.writeInside(ofTypes("a", "b")));
    assert.deepEqual([first.firstSequence, first.storeId], [2, store.storeId]);
    written(await store.writer.writeInside(changing(CREATE)));
    const inside = await store.writer.readChunkInside(EVERYTHING);
    assert.deepEqual([typesOf(inside), inside.head], [["old", "a", "b"], 3]);
    assert.deepEqual([inside.storeId, inside.end], [store.storeId, { hasMore: false }]);
    const found = await store.writer.readProjectionInside(KEY);
    assert.deepEqual([found.storeId, found.projection?.payload.length], [store.storeId, 1]);
    const absent = await store.writer.readProjectionInside({ type: "p", id: "2" });
    assert.deepEqual(absent, { storeId: store.storeId, projection: undefined });
    assert.deepEqual([await committedTypes(store), await isCommitted(store)], [["old"], false]);
    assert.deepEqual(await store.writer.commit(), DONE);
    assert.deepEqual([await committedTypes(store), await isCommitted(store)], [["old", "a", "b"], true]);
  });

  test("a conflict inside a transaction leaves it open and unchanged", async (store) => {
    await store.writer.begin();
    await store.writer.writeInside(ofTypes("a"));
    assert.equal(kindOf(await store.writer.writeInside(unless("a", 0))), "conflict");
    assert.equal(written(await store.writer.writeInside(unless("a", 1, "b"))).firstSequence, 2);
    assert.deepEqual(await store.writer.commit(), DONE);
    assert.deepEqual(await committedTypes(store), ["a", "b"]);
  });
}

function memory(test: StoreTest): void {
  test("a rollback leaves nothing of the transaction and reuses its sequences", async (store) => {
    await store.writer.group([ofTypes("old")]);
    for (let i = 0; i < 3; i++) {
      await store.writer.begin();
      assert.equal(written(await store.writer.writeInside(ofTypes("a", "b"))).firstSequence, 2);
      written(await store.writer.writeInside(changing(CREATE)));
      await store.writer.rollback();
      assert.deepEqual([await committedTypes(store), await isCommitted(store)], [["old"], false]);
    }
    assert.equal(written((await store.writer.group([ofTypes("c")]))[0]).firstSequence, 2);
  });

  test("conditions ignore a transaction that was rolled back", async (store) => {
    const kind = async (unwanted: string, after: number, type?: string): Promise<string | undefined> =>
      kindOf((await store.writer.group([unless(unwanted, after, type)]))[0]);
    await store.writer.group([ofTypes("old")]);
    await store.writer.begin();
    await store.writer.writeInside(ofTypes("undone", "x", "x"));
    // This condition makes a store that remembers recent writes look through them.
    assert.equal(kindOf(await store.writer.writeInside(unless("undone", 0))), "conflict");
    await store.writer.rollback();
    assert.equal(await kind("undone", 0, "new"), "written");
    assert.equal(await kind("new", 1), "conflict", "written at the sequence of the undone one");
    assert.equal(await kind("new", 2), "written");
    assert.equal(await kind("x", 1), "written");
    assert.equal(await kind("old", 0), "conflict", "from before the turn");
  });

  test("conditions see the events of a committed transaction like any other write", async (store) => {
    await store.writer.begin();
    await store.writer.writeInside(ofTypes("a"));
    await store.writer.writeInside(ofTypes("b"));
    await store.writer.commit();
    const group = [unless("a", 0), unless("a", 1), unless("b", 1), unless("b", 2)];
    const outcomes = await store.writer.group(group);
    assert.deepEqual(outcomes.map(kindOf), ["conflict", "written", "conflict", "written"]);
  });
}

function ends(test: StoreTest): void {
  const endings: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
    "before the first turn": () => Promise.resolve(),
    "after a commit": async ({ writer }) => {
      await writer.begin();
      await writer.commit();
    },
    "after a rollback": async ({ writer }) => {
      await writer.begin();
      await writer.rollback();
    },
    "after a group": ({ writer }) => writer.group([storeWrite([])]),
  };
  test("calls that need an open transaction fail without one, and change nothing", async (store) => {
    for (const [when, act] of Object.entries(endings)) {
      await act(store);
      assert.equal(kindOf(await store.writer.writeInside(ofTypes("late"))), "failed", when);
      assert.equal((await store.writer.commit()).kind, "failed", when);
      await assert.rejects(store.writer.readChunkInside(EVERYTHING), Error, when);
      await assert.rejects(store.writer.readProjectionInside(KEY), Error, when);
      await store.writer.rollback();
      assert.deepEqual(await committedTypes(store), [], when);
    }
  });

  test("a store that is closed in an open transaction rolls it back", async (store, subject) => {
    await store.writer.group([ofTypes("old")]);
    await store.writer.begin();
    await store.writer.writeInside(ofTypes("undone"));
    const again = await subject.reopen();
    assert.equal(again.opened.head, 1);
    assert.deepEqual(await committedTypes(again), ["old"]);
  });
}

async function committedTypes(store: Store): Promise<string[]> {
  return typesOf(await store.reads.chunk(EVERYTHING));
}

/** True when reads find the projection. */
async function isCommitted(store: Store): Promise<boolean> {
  return (await store.reads.projection(KEY)).projection !== undefined;
}
