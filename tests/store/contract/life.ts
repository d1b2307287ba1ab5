import assert from "node:assert/strict";
import type { Store } from "../../../src/store/api/store.ts";
import { EVERYTHING, typesOf } from "../chunks.ts";
import { changing, newEvent, ofTypes, storeWrite } from "../made_writes.ts";
import { conflictOf, DONE, written } from "../outcomes.ts";
import type { StoreTest } from "./store_test.ts";

const KEY = { type: "p", id: "\u0000" };

/** A reset, the pause, and the content that survives closing the store. */
export function contractOfLife(test: StoreTest): void {
  closing(test);
  resets(test);
  pauses(test);
}

/** Writes two events and a projection. */
async function fill(store: Store): Promise<void> {
  const { projections } = changing({ create: [{ ...KEY, payload: "" }] });
  written((await store.writer.group([storeWrite([newEvent("a"), newEvent("b")], { projections })]))[0]);
}

function closing(test: StoreTest): void {
  test("a store that is opened again has its ID, its events and its projections", async (store, subject) => {
    const { storeId } = store;
    const opened = { storeId, head: 0, created: true, pausedSinceMicros: undefined };
    assert.deepEqual(store.opened, opened);
    await fill(store);
    assert.deepEqual(store.opened, opened, "as it was then");
    const { projection } = await store.reads.projection(KEY);
    assert.equal(projection?.payload.length, 0);
    const again = await subject.reopen();
    assert.equal(again.storeId, storeId);
    assert.deepEqual(again.opened, { ...opened, head: 2, created: false });
    assert.deepEqual(typesOf(await again.reads.chunk(EVERYTHING)), ["a", "b"]);
    assert.deepEqual(await again.reads.projection(KEY), { storeId, projection });
    assert.equal(written((await again.writer.group([ofTypes("c")]))[0]).firstSequence, 3);
  });

  test("a refresh of statistics changes nothing visible", async (store) => {
    await fill(store);
    assert.deepEqual(await store.writer.optimize(), DONE);
    assert.deepEqual(typesOf(await store.reads.chunk(EVERYTHING)), ["a", "b"]);
  });
}

function resets(test: StoreTest): void {
  test(
    "a reset deletes everything, starts at sequence 1 and gives a new store ID",
    async (store, subject) => {
      const before = store.storeId;
      await fill(store);
      assert.deepEqual(await store.writer.reset(), DONE);
      const { storeId } = store;
      assert.notEqual(storeId, before);
      const chunk = await store.reads.chunk(EVERYTHING);
      assert.deepEqual([chunk.storeId, chunk.head, chunk.events], [storeId, 0, 0]);
      const continued = await store.reads.chunk({ ...EVERYTHING, afterSequence: 1, head: 2 });
      assert.deepEqual([continued.storeId, continued.events], [storeId, 0], "a page of the old store");
      assert.deepEqual(await store.reads.projection(KEY), { storeId, projection: undefined });
      const conditions = [{ failIfEventsMatch: "none", afterSequence: 0, store: before }] as const;
      const late = (await store.writer.group([storeWrite([], { conditions })]))[0];
      assert.deepEqual(conflictOf(late), { list: "conditions", index: 0, cause: "otherStore" });
      const next = written((await store.writer.group([ofTypes("c")]))[0]);
      assert.deepEqual([next.storeId, next.firstSequence], [storeId, 1]);
      const again = await subject.reopen();
      assert.deepEqual([again.storeId, again.opened.head], [storeId, 1]);
    },
  );
}

function pauses(test: StoreTest): void {
  test(
    "a pause persists until it is ended, over a reset too, and reports the state of the store",
    async (store, subject) => {
      await fill(store);
      const state = { storeId: store.storeId, head: 2 };
      assert.deepEqual(await store.writer.setPaused(1234), { kind: "done", value: state });
      await store.writer.reset();
      const paused = await subject.reopen();
      assert.equal(paused.opened.pausedSinceMicros, 1234);
      const anew = { storeId: paused.storeId, head: 0 };
      assert.deepEqual(await paused.writer.setPaused(undefined), { kind: "done", value: anew });
      assert.equal((await subject.reopen()).opened.pausedSinceMicros, undefined);
    },
  );
}
