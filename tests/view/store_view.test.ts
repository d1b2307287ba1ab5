import assert from "node:assert/strict";
import { EVERYTHING } from "../../src/model/access.ts";
import { makeWithin } from "../../src/model/within.ts";
import type { Store } from "../../src/store/api/store.ts";
import { CommitFeed } from "../../src/store/feed/commit_feed.ts";
import { StoreViews } from "../../src/view/store_view.ts";
import { eventually } from "../support/eventually.ts";
import { newEvent, prepared } from "../store/made_writes.ts";

const TENANT = { name: "tenant", value: "t1" };

Deno.test("the events of others do not wake a read with within that waits", async () => {
  const feed = new CommitFeed({ storeId: "s", head: 0 });
  let reads = 0;
  const chunk = () => {
    reads++;
    const { head } = feed.state;
    return { storeId: "s", head, lines: new Uint8Array(), events: 0, last: head, end: { hasMore: head > 1 } };
  };
  const store = { reads: { chunk: () => Promise.resolve(chunk()) }, feed } as unknown as Store;
  const unused = () => assert.fail("there is only a read");
  const views = new StoreViews(store, { write: unused, alone: unused }, { document: unused });
  const view = views.of({ ...EVERYTHING, within: makeWithin([TENANT]) });
  const read = { query: "every", terms: "every", afterSequence: 0, limit: 1, waitSeconds: 60 } as const;
  const page = view.awaitedPage(read, { disconnected: new AbortController().signal }, () => {});
  await eventually(() => assert.equal(feed.subscriptions, 1));
  feed.committed(1, [prepared({ ...newEvent("t"), identifiers: [{ ...TENANT, value: "t2" }] })]);
  for (let i = 0; i < 20; i++) await Promise.resolve();
  assert.deepEqual([feed.subscriptions, reads], [1, 1]);
  feed.committed(2, [prepared({ ...newEvent("t"), identifiers: [TENANT] })]);
  await page;
  assert.deepEqual([feed.subscriptions, reads], [0, 2]);
});
