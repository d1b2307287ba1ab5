import assert from "node:assert/strict";
import { ClientDisconnected } from "../../../src/model/errors.ts";
import { CommitFeed } from "../../../src/store/feed/commit_feed.ts";
import { AwaitedPages, type AwaitedRead } from "../../../src/store/feed/awaited_pages.ts";
import type { Chunk } from "../../../src/store/api/chunk.ts";
import type { Page } from "../../../src/store/core/open_page.ts";
import type { StoreState } from "../../../src/store/api/state.ts";
import type { Store } from "../../../src/store/api/store.ts";
import { newEvent, prepared } from "../made_writes.ts";

const OLD: StoreState = { storeId: "old", head: 0 };
const READ: AwaitedRead = {
  query: "every",
  terms: "every",
  afterSequence: 0,
  limit: 10,
  waitSeconds: 60,
};

/**
 * A store that notifies its feed late, as when the main thread has not processed a commit yet. tests/store/contract/
 * has the rest.
 */
class NotifiedStore {
  state = OLD;
  readonly feed = new CommitFeed(OLD);
  reads = 0;
  /** Called after each read has looked, before it is answered. */
  onLooked: () => void = () => {};
  readonly #client = new AbortController();

  commit(): void {
    this.state = { ...this.state, head: this.state.head + 1 };
  }

  tell(): void {
    this.feed.committed(this.feed.state.head + 1, [prepared(newEvent("t"))]);
  }

  reset(): void {
    this.state = { storeId: "new", head: 0 };
  }

  leave(): void {
    this.#client.abort();
  }

  page(read: Partial<AwaitedRead> = {}): Promise<Page> {
    const reads = { chunk: this.#chunk.bind(this) } as unknown as Store["reads"];
    const pages = new AwaitedPages({ reads, feed: this.feed });
    return pages.page({ ...READ, ...read }, { disconnected: this.#client.signal });
  }

  async #chunk({ afterSequence }: { afterSequence: number }): Promise<Chunk> {
    this.reads++;
    const { state } = this;
    await Promise.resolve();
    this.onLooked();
    const events = Math.max(0, state.head - afterSequence);
    const lines = new TextEncoder().encode("line\n".repeat(events));
    return { ...state, lines, events, last: state.head, end: { hasMore: false } };
  }
}

/** Lets everything continue that can. */
async function settled(): Promise<void> {
  for (let i = 0; i < 50; i++) await Promise.resolve();
}

function shown({ storeId, head, whole }: Page): unknown {
  return [storeId, head, whole!.lines.length / "line\n".length];
}

Deno.test("a notification of events that a read has already seen starts no second read", async () => {
  const store = new NotifiedStore();
  store.commit();
  const page = store.page({ afterSequence: 1 });
  await settled();
  store.tell();
  await settled();
  assert.equal(store.reads, 1);
  store.commit();
  store.tell();
  assert.deepEqual(shown(await page), ["old", 2, 1]);
  assert.equal(store.reads, 2);
});

Deno.test("a read that begins after a reset waits, although the feed has not been notified of the reset yet", async () => {
  const store = new NotifiedStore();
  store.reset();
  const page = store.page();
  await settled();
  store.feed.reset("new");
  await settled();
  assert.equal(store.feed.subscriptions, 1);
  store.commit();
  store.tell();
  assert.deepEqual(shown(await page), ["new", 1, 1]);
});

Deno.test("after a client disconnects during its read, nothing waits", async () => {
  const store = new NotifiedStore();
  store.onLooked = () => store.leave();
  await assert.rejects(store.page(), ClientDisconnected);
  assert.equal(store.feed.subscriptions, 0);
});
