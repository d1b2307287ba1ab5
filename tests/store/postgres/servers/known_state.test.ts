import assert from "node:assert/strict";
import { Arrivals } from "../../../../src/store/arrivals/arrivals.ts";
import { KnownState } from "../../../../src/store/postgres/servers/known_state.ts";
import type { LastTurn } from "../../../../src/store/postgres/tables/turns.ts";
import { ofTypes } from "../../made_writes.ts";

const [FIRST, SECOND, THIRD] = ofTypes("a", "b", "c").events;
const SECOND_AND_THIRD = [SECOND!, THIRD!];

const turn = (number: number): LastTurn => ({ number, name: crypto.randomUUID() });

/** What a server knows that has seen five turns and one event, and what it has told of since. */
function known(): { state: KnownState; arrivals: Arrivals; told: string[] } {
  const arrivals = new Arrivals({ storeId: "s", head: 1 });
  const told: string[] = [];
  const { committed, committedMany, reset } = arrivals;
  arrivals.committed = (first, events, ...rest) => {
    told.push(`${events.length} from ${first}`);
    committed.call(arrivals, first, events, ...rest);
  };
  arrivals.committedMany = (head) => {
    told.push(`many up to ${head}`);
    committedMany.call(arrivals, head);
  };
  arrivals.reset = (storeId) => {
    told.push(`reset to ${storeId}`);
    reset.call(arrivals, storeId);
  };
  return { state: new KnownState(5, arrivals), arrivals, told };
}

Deno.test("what others have written is told, with its events if all of them are known", () => {
  const { state, arrivals, told } = known();
  state.tell({ storeId: "s", head: 3, turn: turn(6) }, 2, SECOND_AND_THIRD);
  state.tell({ storeId: "s", head: 9, turn: turn(8) }, 4, SECOND_AND_THIRD);
  state.tell({ storeId: "s", head: 9, turn: turn(9) });
  assert.deepEqual(told, ["2 from 2", "many up to 9"]);
  assert.deepEqual(arrivals.state, { storeId: "s", head: 9 });
});

Deno.test("what is older than what was told is nothing new, in whatever order it comes", () => {
  const { state, arrivals, told } = known();
  state.tell({ storeId: "new", head: 2, turn: turn(7) }, 2, SECOND_AND_THIRD);
  state.tell({ storeId: "s", head: 3, turn: turn(6) }, 2, SECOND_AND_THIRD);
  assert.deepEqual(told, ["reset to new", "many up to 2"]);
  state.ownTurn({ storeId: "other", head: 0, turn: turn(8) });
  state.tell({ storeId: "new", head: 3, turn: turn(7) });
  assert.deepEqual(told.slice(2), ["reset to other"]);
  assert.deepEqual(arrivals.state, { storeId: "other", head: 0 });
});

Deno.test("the events of an own turn may be told after those of a later one of others", () => {
  const { state, arrivals } = known();
  state.ownTurn({ storeId: "s", head: 2, turn: turn(6) });
  state.tell({ storeId: "s", head: 3, turn: turn(7) }, 2, SECOND_AND_THIRD);
  arrivals.committed(2, [SECOND!], "s");
  assert.equal(arrivals.state.head, 3);
  arrivals.reset("new");
  arrivals.committed(4, [FIRST!], "s");
  assert.deepEqual(arrivals.state, { storeId: "new", head: 0 }, "those of another store are told of nobody");
});
