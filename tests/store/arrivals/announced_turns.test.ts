import assert from "node:assert/strict";
import { AnnouncedTurns } from "../../../src/store/arrivals/announced_turns.ts";
import { Arrivals } from "../../../src/store/arrivals/arrivals.ts";
import { done, type Outcome } from "../../../src/store/outcome.ts";
import type { StoreTurns } from "../../../src/store/store.ts";
import type { StoreWrite, TurnResult, WriteResult } from "../../../src/store/write.ts";
import { ofTypes } from "../made_writes.ts";

const CONFLICT: Outcome<WriteResult> = done({
  kind: "conflict",
  conflict: { list: "conditions", index: 0, cause: "otherStore" },
});
const FAILED: Outcome<never> = { kind: "failed", reason: "no room" };
const UNKNOWN: Outcome<never> = { kind: "unknown", reason: "who knows" };

function writtenAt(firstSequence: number): Outcome<WriteResult> {
  const versions = { create: [], replace: [] };
  return done({ kind: "written", storeId: "the store", firstSequence, versions });
}

/** Turns with these outcomes, one after the other; those that are not given are done. */
function announcing(
  given: { group?: Outcome<TurnResult>[]; inside?: Outcome<WriteResult>[]; commit?: Outcome<void> },
): { turns: StoreTurns; arrivals: Arrivals } {
  const arrivals = new Arrivals({ storeId: "the store", head: 0 });
  const inside = [...given.inside ?? []];
  const turns = {
    group: () => Promise.resolve(given.group ?? []),
    begin: () => Promise.resolve(done(undefined)),
    writeInside: () => Promise.resolve(inside.shift()!),
    commit: () => Promise.resolve(given.commit ?? done(undefined)),
    rollback: () => Promise.resolve(),
  } as unknown as StoreTurns;
  return { turns: new AnnouncedTurns(turns, arrivals), arrivals };
}

Deno.test("of a group, what was written is told, and nothing else", async () => {
  const group: Outcome<TurnResult>[] = [
    CONFLICT,
    writtenAt(1),
    done({ kind: "costly" }),
    writtenAt(3),
    writtenAt(3),
    FAILED,
    UNKNOWN,
  ];
  const { turns, arrivals } = announcing({ group });
  const writes = [
    ofTypes("a"),
    ofTypes("b", "c"),
    ofTypes("d"),
    ofTypes(),
    ofTypes("e"),
    ofTypes("f"),
    ofTypes("g"),
  ];
  const heads: number[] = [];
  const told: string[] = [];
  arrivals.committed = (first, events) => {
    heads.push(first + events.length - 1);
    told.push(...events.map(({ terms }) => terms));
  };
  assert.deepEqual(await turns.group(writes), group);
  assert.deepEqual(heads, [2, 3]);
  assert.deepEqual(told, ofTypes("b", "c", "e").events.map(({ terms }) => terms));
});

async function afterTurn(
  writes: readonly StoreWrite[],
  given: { inside: Outcome<WriteResult>[]; commit?: Outcome<void> },
  end: "commit" | "rollback" = "commit",
): Promise<number> {
  const { turns, arrivals } = announcing(given);
  await turns.begin();
  for (const write of writes) await turns.writeInside(write);
  assert.equal(arrivals.state.head, 0, "nothing is told before the commit");
  await turns[end]();
  const { head } = arrivals.state;
  await turns.begin();
  await turns.commit();
  assert.equal(arrivals.state.head, head, "nothing is told twice");
  return head;
}

Deno.test("what a turn has written is told once it is committed, if it is", async () => {
  const writes = [ofTypes("a", "b"), ofTypes("c"), ofTypes("d")];
  const inside = [writtenAt(1), CONFLICT, writtenAt(3)];
  assert.equal(await afterTurn(writes, { inside }), 3);
  assert.equal(await afterTurn(writes, { inside }, "rollback"), 0);
  assert.equal(await afterTurn(writes, { inside, commit: FAILED }), 0);
  assert.equal(await afterTurn(writes, { inside, commit: UNKNOWN }), 0);
});

Deno.test("a turn that failed in the middle leaves nothing to the next one", async () => {
  const { turns, arrivals } = announcing({ inside: [writtenAt(1), FAILED] });
  await turns.begin();
  await turns.writeInside(ofTypes("a"));
  await turns.writeInside(ofTypes("b"));
  await turns.begin();
  await turns.commit();
  assert.equal(arrivals.state.head, 0);
});

Deno.test("of a turn that has written very many events, only that there are some is told", async () => {
  const write = ofTypes(...Array<string>(1500).fill("t"));
  const writes = Array<StoreWrite>(20).fill(write);
  const { turns, arrivals } = announcing({ inside: writes.map((_, i) => writtenAt(1 + 1500 * i)) });
  await turns.begin();
  for (const write of writes) await turns.writeInside(write);
  const terms = [{ anyOf: ["of no event"], allOf: [] }];
  using watch = arrivals.watch({ query: "every", afterSequence: 0, terms });
  await turns.commit();
  assert.equal(await watch.ended, "arrived");
  assert.equal(arrivals.state.head, 30_000);
});
