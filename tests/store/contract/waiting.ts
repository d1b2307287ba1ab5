import { delay } from "../../../src/async/delay.ts";
import assert from "node:assert/strict";
import type { Query } from "../../../src/model/query.ts";
import type { Page } from "../../../src/store/core/open_page.ts";
import type { Store } from "../../../src/store/api/store.ts";
import { ClientDisconnected } from "../../../src/model/errors.ts";
import { newEvent, ofTypes, queryOf, storeWrite, unless } from "../made_writes.ts";
import { DONE, kindOf, written } from "../outcomes.ts";
import type { StoreTest } from "./store_test.ts";
import { type Hooks, type ReadPage, readPage, STAYING, WaitingReads } from "./waiting_reads.ts";

/** Longer than any read that must end, and shorter than reads wait. */
const TIMEOUT_SECONDS = 20;

/** A query with very many terms. An event with any of them matches. */
const LARGE = queryOf(["t", ...Array.from({ length: 600 }, (_, i) => `other ${i}`)]);
const QUERIES: readonly Query[] = ["every", queryOf(["t"]), LARGE];

/** Reads that wait until there is an event for them. */
export function contractOfWaiting(test: StoreTest): void {
  feed(test);
  turns(test);
  resets(test);
  ends(test);
}

/** @throws Error when a read still waits although it should have ended */
async function soon(page: Promise<Page>): Promise<Page> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("the read still waits")), 1000 * TIMEOUT_SECONDS);
  try {
    return await Promise.race([page, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function write(store: Store, ...types: string[]): Promise<void> {
  written((await store.writer.group([ofTypes(...types)]))[0]);
}

function feed(test: StoreTest): void {
  test("a waiting read reads again for an event that matches, and for no other", async (store) => {
    await write(store, "t");
    for (const query of QUERIES.slice(1)) {
      const reads = new WaitingReads(store);
      const { head } = store.feed.state;
      const page = reads.page({ query, afterSequence: head });
      await reads.untilOneWaits();
      await write(store, "a");
      await store.writer.group([ofTypes("b"), unless("a", 0, "t"), ofTypes("c", "t", "d"), ofTypes("e")]);
      const { storeId } = store;
      const expected = { storeId, head: head + 6, sequences: [head + 4], hasMore: false };
      assert.deepEqual(await readPage(await soon(page)), expected);
      assert.deepEqual([reads.chunks, reads.waiting], [2, 0]);
    }
  });

  test("a write between a read and its subscription is found at once", async (store) => {
    for (const query of QUERIES) {
      const after = (read: number): Promise<void> | undefined => read === 1 ? write(store, "t") : undefined;
      const reads = new WaitingReads(store, { after });
      const { head } = store.feed.state;
      const { sequences } = await readPage(await soon(reads.page({ query, afterSequence: head })));
      assert.deepEqual([sequences, reads.chunks], [[head + 1], 2]);
    }
  });

  test("a write at any moment around the beginning of the subscription is found", async (store) => {
    for (let i = 0; i < 60; i++) {
      let writing: Promise<void> | undefined;
      const hooks: Hooks = {
        before(read) {
          if (read === 1) writing = later(i % 4).then(() => write(store, "t"));
        },
        after: (read) => read === 1 ? later(i % 5) : undefined,
      };
      const reads = new WaitingReads(store, hooks);
      const { head } = store.feed.state;
      const page = reads.page({ query: QUERIES[i % 3]!, afterSequence: head });
      assert.deepEqual((await readPage(await soon(page))).sequences, [head + 1]);
      await writing;
    }
  });
}

/** Waits for some iterations of the event loop. */
async function later(turns: number): Promise<void> {
  for (let i = 0; i < turns; i++) await delay(0);
}

function turns(test: StoreTest): void {
  test("the writes of a transaction end the waiting at its commit, and never after a rollback", async (store) => {
    await write(store, "a", "a", "a");
    const reads = new WaitingReads(store);
    const page = reads.page({ query: queryOf(["t"]) });
    await reads.untilOneWaits();
    await store.writer.begin();
    written(await store.writer.writeInside(ofTypes("t", "t")));
    await store.writer.rollback();
    await store.writer.begin();
    written(await store.writer.writeInside(ofTypes("b")));
    assert.deepEqual(await store.writer.commit(), DONE);
    await store.writer.begin();
    written(await store.writer.writeInside(ofTypes("t")));
    assert.equal(kindOf(await store.writer.writeInside(unless("t", 0, "t"))), "conflict");
    // Several reads, in which a wrongly woken one would have returned.
    for (let i = 0; i < 3; i++) await store.reads.ping();
    assert.deepEqual([reads.chunks, reads.waiting], [1, 1]);
    assert.deepEqual(await store.writer.commit(), DONE);
    assert.deepEqual((await readPage(await soon(page))).sequences, [5]);
    assert.equal(reads.chunks, 2);
  });

  test("a transaction of more events than are remembered until its commit ends the waiting too", async (store) => {
    const reads = new WaitingReads(store);
    const page = reads.page({ query: queryOf(["t"]) });
    await reads.untilOneWaits();
    await store.writer.begin();
    const many = storeWrite(Array<ReturnType<typeof newEvent>>(7000).fill(newEvent("other")));
    for (let i = 0; i < 3; i++) written(await store.writer.writeInside(many));
    written(await store.writer.writeInside(ofTypes("t")));
    await store.writer.commit();
    const { head, sequences } = await readPage(await soon(page));
    assert.deepEqual([head, sequences], [21_001, [21_001]]);
  });
}

function resets(test: StoreTest): void {
  const phases: Readonly<Record<string, (store: Store) => Promise<ReadPage>>> = {
    "after the first read": async (store) => {
      const after = (read: number): Promise<unknown> | undefined =>
        read === 1 ? store.writer.reset() : undefined;
      return await readPage(await soon(new WaitingReads(store, { after }).page({ afterSequence: 2 })));
    },
    "while it waits": async (store) => {
      const reads = new WaitingReads(store);
      const page = reads.page({ afterSequence: 2 });
      await reads.untilOneWaits();
      await store.writer.reset();
      return await readPage(await soon(page));
    },
    "when the event has come": async (store) => {
      const before = (read: number): Promise<unknown> | undefined =>
        read === 2 ? store.writer.reset() : undefined;
      const reads = new WaitingReads(store, { before });
      const page = reads.page({ afterSequence: 2 });
      await reads.untilOneWaits();
      await write(store, "c");
      return await readPage(await soon(page));
    },
    "when its waiting is over": async (store) => {
      const before = (read: number): Promise<unknown> | undefined =>
        read === 2 ? store.writer.reset() : undefined;
      const reads = new WaitingReads(store, { before });
      const page = reads.page({ afterSequence: 2 });
      await reads.untilOneWaits();
      store.feed.close();
      return await readPage(await soon(page));
    },
  };
  for (const [when, run] of Object.entries(phases)) {
    test(`a reset ${when} gives an empty page under the new ID`, async (store) => {
      await write(store, "a", "b");
      const before = store.storeId;
      const page = await run(store);
      assert.notEqual(store.storeId, before);
      assert.deepEqual(page, { storeId: store.storeId, head: 0, sequences: [], hasMore: false });
    });
  }

  test("a page that a reset ends does not contain events of the new store", async (store) => {
    await write(store, "a", "b");
    const after = async (read: number): Promise<void> => {
      if (read !== 1) return;
      await store.writer.reset();
      await write(store, "a", "b", "c");
    };
    const page = await readPage(await soon(new WaitingReads(store, { after }).page({ afterSequence: 2 })));
    assert.deepEqual(page, { storeId: store.storeId, head: 0, sequences: [], hasMore: false });
  });
}

function ends(test: StoreTest): void {
  test("a waiting read ends with an empty page when its time is up, and when the store closes", async (store) => {
    await write(store, "a", "b");
    const reads = new WaitingReads(store);
    const empty = { storeId: store.storeId, head: 2, sequences: [], hasMore: false };
    assert.deepEqual(await readPage(await reads.page({ query: queryOf(["t"]) }, STAYING, 0.01)), empty);
    const page = reads.page({ query: queryOf(["t"]) });
    await reads.untilOneWaits();
    store.feed.close();
    assert.deepEqual(await readPage(await soon(page)), empty);
    assert.deepEqual(await readPage(await reads.page({ query: queryOf(["t"]) })), empty, "from then on");
    assert.equal(reads.waiting, 0);
  });

  test("a waiting read ends when its client disconnects, and a read that no event can match never waits", async (store) => {
    const reads = new WaitingReads(store);
    const leaving = new AbortController();
    const page = reads.page({}, { disconnected: leaving.signal });
    await reads.untilOneWaits();
    leaving.abort();
    await assert.rejects(page, ClientDisconnected);
    assert.deepEqual((await readPage(await soon(reads.page({ query: "none" })))).sequences, []);
    assert.equal(reads.waiting, 0);
  });
}
