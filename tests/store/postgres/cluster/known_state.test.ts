import assert from "node:assert/strict";
import { CommitFeed } from "../../../../src/store/feed/commit_feed.ts";
import { KnownState } from "../../../../src/store/postgres/cluster/known_state.ts";
import type { LastTransaction } from "../../../../src/store/postgres/tables/turns.ts";
import { ofTypes } from "../../made_writes.ts";

const [FIRST, SECOND, THIRD] = ofTypes("a", "b", "c").events;
const SECOND_AND_THIRD = [SECOND!, THIRD!];

const turn = (number: number): LastTransaction => ({ number, name: crypto.randomUUID() });

/** The knowledge of a server that has seen five transactions and one event, and its notifications since. */
function known(): { state: KnownState; feed: CommitFeed; told: string[] } {
  const feed = new CommitFeed({ storeId: "s", head: 1 });
  const told: string[] = [];
  const { committed, committedMany, reset } = feed;
  feed.committed = (first, events, ...rest) => {
    told.push(`${events.length} from ${first}`);
    committed.call(feed, first, events, ...rest);
  };
  feed.committedMany = (head) => {
    told.push(`many up to ${head}`);
    committedMany.call(feed, head);
  };
  feed.reset = (storeId) => {
    told.push(`reset to ${storeId}`);
    reset.call(feed, storeId);
  };
  return { state: new KnownState(5, feed), feed, told };
}

Deno.test("remote commits are reported, with their events if all of them are known", () => {
  const { state, feed, told } = known();
  state.update({ storeId: "s", head: 3, turn: turn(6) }, 2, SECOND_AND_THIRD);
  state.update({ storeId: "s", head: 9, turn: turn(8) }, 4, SECOND_AND_THIRD);
  state.update({ storeId: "s", head: 9, turn: turn(9) });
  assert.deepEqual(told, ["2 from 2", "many up to 9"]);
  assert.deepEqual(feed.state, { storeId: "s", head: 9 });
});

Deno.test("commits older than the last report are skipped, in any order", () => {
  const { state, feed, told } = known();
  state.update({ storeId: "new", head: 2, turn: turn(7) }, 2, SECOND_AND_THIRD);
  state.update({ storeId: "s", head: 3, turn: turn(6) }, 2, SECOND_AND_THIRD);
  assert.deepEqual(told, ["reset to new", "many up to 2"]);
  state.ownTransaction({ storeId: "other", head: 0, turn: turn(8) });
  state.update({ storeId: "new", head: 3, turn: turn(7) });
  assert.deepEqual(told.slice(2), ["reset to other"]);
  assert.deepEqual(feed.state, { storeId: "other", head: 0 });
});

Deno.test("the events of an own transaction may be reported after those of a later remote one", () => {
  const { state, feed } = known();
  state.ownTransaction({ storeId: "s", head: 2, turn: turn(6) });
  state.update({ storeId: "s", head: 3, turn: turn(7) }, 2, SECOND_AND_THIRD);
  feed.committed(2, [SECOND!], "s");
  assert.equal(feed.state.head, 3);
  feed.reset("new");
  feed.committed(4, [FIRST!], "s");
  assert.deepEqual(feed.state, { storeId: "new", head: 0 }, "those of another store are told of nobody");
});
