import assert from "node:assert/strict";
import { CommitFeed } from "../../../src/store/feed/commit_feed.ts";
import { ObservedWriter } from "../../../src/store/core/observed_writer.ts";
import { done, type Outcome } from "../../../src/store/api/outcome.ts";
import type { StoreWriter } from "../../../src/store/api/store.ts";
import { TransactionCounts } from "../../../src/store/core/transaction_counts.ts";
import type { FailingWrites } from "../../../src/store/core/write_health.ts";
import {
  type AttemptResult,
  EMPTY_WRITE,
  type StoreWrite,
  type WriteResult,
} from "../../../src/store/api/write.ts";
import { ofTypes, unless } from "../made_writes.ts";

const CONFLICT: Outcome<WriteResult> = done({
  kind: "conflict",
  conflict: { list: "conditions", index: 0, cause: "otherStore" },
});
/** A write that can have this conflict. */
const CONDITIONAL = unless("unwanted", 0);
const FULL: Outcome<never> = { kind: "failed", reason: "full", cause: "diskFull" };
const UNKNOWN: Outcome<never> = { kind: "unknown", reason: "the worker died" };
const NO_FAILURES = {
  diskFull: 0,
  diskError: 0,
  locked: 0,
  lostFiles: 0,
  connection: 0,
  keyLeft: 0,
  other: 0,
};

interface Observed {
  readonly writer: StoreWriter;
  readonly counts: TransactionCounts;
  readonly feed: CommitFeed;
}

function observed(inner: Partial<StoreWriter>): Observed {
  const counts = new TransactionCounts();
  const feed = new CommitFeed({ storeId: "the store", head: 0 });
  return { writer: new ObservedWriter(inner as StoreWriter, counts, feed), counts, feed };
}

/** A writer whose every step ends with this outcome. */
function ending(outcome: () => Promise<Outcome<never>>): Observed {
  const steps = ["deleteProjections", "reset", "setPaused", "optimize", "begin", "writeInside", "commit"];
  return observed({
    ...Object.fromEntries(steps.map((step) => [step, outcome])),
    group: async (writes) => {
      const ended = await outcome();
      return writes.map(() => ended);
    },
  });
}

/** A writer with an open transaction, whose writes have these outcomes one after the other. */
function openTransaction(
  given: { readonly inside: readonly Outcome<WriteResult>[]; readonly commit?: Outcome<void> | undefined },
): Observed {
  const inside = [...given.inside];
  return observed({
    begin: () => Promise.resolve(done(undefined)),
    writeInside: () => Promise.resolve(inside.shift()!),
    commit: () => Promise.resolve(given.commit ?? done(undefined)),
    rollback: () => Promise.resolve(),
  });
}

function writtenAt(firstSequence: number): Outcome<WriteResult> {
  const versions = { create: [], replace: [] };
  return done({ kind: "written", storeId: "the store", firstSequence, versions });
}

Deno.test("each step that fails counts once, and each write of a group", async () => {
  const { writer, counts } = ending(() => Promise.resolve(FULL));
  assert.deepEqual(await writer.group([EMPTY_WRITE, EMPTY_WRITE]), [FULL, FULL]);
  assert.equal(counts.failed.diskFull, 2);
  const steps = [
    () => writer.deleteProjections(undefined),
    () => writer.reset(),
    () => writer.setPaused(1),
    () => writer.begin(),
    () => writer.writeInside(EMPTY_WRITE),
    () => writer.commit(),
  ];
  for (const [i, step] of steps.entries()) {
    assert.equal(await step(), FULL);
    assert.equal(counts.failed.diskFull, 3 + i);
  }
  assert.deepEqual(counts.failed, { ...NO_FAILURES, diskFull: 8 });
});

Deno.test("writes fail from the first failure that is no client's fault until something is committed", async () => {
  const commits: readonly (readonly [name: string, commit: (writer: StoreWriter) => Promise<unknown>])[] = [
    ["group", (writer) => writer.group([EMPTY_WRITE])],
    ["commit", (writer) => writer.commit()],
    ["deleteProjections", (writer) => writer.deleteProjections(undefined)],
    ["reset", (writer) => writer.reset()],
    ["setPaused", (writer) => writer.setPaused(1)],
  ];
  for (const [name, commit] of commits) {
    let outcome: Outcome<never> | Outcome<AttemptResult> = UNKNOWN;
    const one = (): Promise<Outcome<never>> => Promise.resolve(outcome as Outcome<never>);
    const { writer, counts: { health } } = ending(one);
    const changes: (string | undefined)[] = [];
    health.onChange = (reason) => void changes.push(reason);
    const failing = (): FailingWrites | undefined => health.failing;
    await writer.group([EMPTY_WRITE]);
    assert.equal(failing(), undefined, "it says nothing about other writes");
    outcome = FULL;
    await writer.begin();
    const since = failing()?.sinceMicros;
    await writer.group([EMPTY_WRITE]);
    outcome = CONFLICT;
    await writer.group([CONDITIONAL]);
    await writer.begin();
    await writer.writeInside(CONDITIONAL);
    assert.deepEqual([failing()?.reason, failing()?.sinceMicros], ["full", since]);
    outcome = writtenAt(1);
    await commit(writer);
    assert.equal(failing(), undefined, name);
    assert.deepEqual(changes, ["full", undefined]);
  }
});

Deno.test("the server's own upkeep is not counted", async () => {
  const { writer, counts } = ending(() => Promise.resolve(FULL));
  assert.equal(await writer.optimize(), FULL);
  assert.deepEqual(counts.failed, NO_FAILURES);
});

Deno.test("when the writer dies, all writes of its group have failed", async () => {
  const { writer, counts } = ending(() => Promise.reject(new Error("died")));
  await assert.rejects(writer.group([EMPTY_WRITE, EMPTY_WRITE, EMPTY_WRITE]), /died/);
  assert.deepEqual(counts.failed, { ...NO_FAILURES, other: 3 });
  assert.equal(counts.writesGrouped, 3);
});

Deno.test("only the events that a group has written are published", async () => {
  const outcomes: Outcome<AttemptResult>[] = [
    CONFLICT,
    writtenAt(1),
    done({ kind: "overBudget" }),
    writtenAt(3),
    writtenAt(3),
    FULL,
    UNKNOWN,
  ];
  const { writer, feed } = observed({ group: () => Promise.resolve(outcomes) });
  const writes = [
    CONDITIONAL,
    ofTypes("b", "c"),
    ofTypes("d"),
    ofTypes(),
    ofTypes("e"),
    ofTypes("f"),
    ofTypes("g"),
  ];
  const heads: number[] = [];
  const published: string[] = [];
  feed.committed = (first, events) => {
    heads.push(first + events.length - 1);
    published.push(...events.map(({ terms }) => terms));
  };
  assert.deepEqual(await writer.group(writes), outcomes);
  assert.deepEqual(heads, [2, 3]);
  assert.deepEqual(published, ofTypes("b", "c", "e").events.map(({ terms }) => terms));
});

/** @returns the head of the feed after a transaction with these writes */
async function headAfter(
  writes: readonly StoreWrite[],
  given: { inside: Outcome<WriteResult>[]; commit?: Outcome<void> },
  end: "commit" | "rollback" = "commit",
): Promise<number> {
  const { writer, feed } = openTransaction(given);
  await writer.begin();
  for (const write of writes) await writer.writeInside(write);
  assert.equal(feed.state.head, 0, "nothing is published before the commit");
  await writer[end]();
  const { head } = feed.state;
  await writer.begin();
  await writer.commit();
  assert.equal(feed.state.head, head, "nothing is published twice");
  return head;
}

Deno.test("the events of a transaction are published once it is committed, if it is", async () => {
  const writes = [ofTypes("a", "b"), CONDITIONAL, ofTypes("d")];
  const inside = [writtenAt(1), CONFLICT, writtenAt(3)];
  assert.equal(await headAfter(writes, { inside }), 3);
  assert.equal(await headAfter(writes, { inside }, "rollback"), 0);
  assert.equal(await headAfter(writes, { inside, commit: FULL }), 0);
  assert.equal(await headAfter(writes, { inside, commit: UNKNOWN }), 0);
});

Deno.test("a transaction that failed halfway leaves nothing to the next one", async () => {
  const { writer, feed } = openTransaction({ inside: [writtenAt(1), FULL] });
  await writer.begin();
  await writer.writeInside(ofTypes("a"));
  await writer.writeInside(ofTypes("b"));
  await writer.begin();
  await writer.commit();
  assert.equal(feed.state.head, 0);
});

Deno.test("a transaction with very many events publishes only its head", async () => {
  const write = ofTypes(...Array<string>(1500).fill("t"));
  const writes = Array<StoreWrite>(20).fill(write);
  const { writer, feed } = openTransaction({ inside: writes.map((_, i) => writtenAt(1 + 1500 * i)) });
  await writer.begin();
  for (const write of writes) await writer.writeInside(write);
  const terms = [{ anyOf: ["of no event"], allOf: [] }];
  using subscription = feed.subscribe({ query: "every", afterSequence: 0, terms });
  await writer.commit();
  assert.equal(await subscription.ended, "arrived");
  assert.equal(feed.state.head, 30_000);
});

Deno.test("conflicts of groups and of transactions are remembered", async () => {
  const { writer, counts } = ending(() => Promise.resolve(CONFLICT as Outcome<never>));
  await writer.group([CONDITIONAL, CONDITIONAL]);
  await writer.begin();
  await writer.writeInside(CONDITIONAL);
  const { conflicts } = counts.conflicts.document("*") as { conflicts: { types: string[] }[] };
  assert.deepEqual(conflicts.map(({ types }) => types), [["t"], ["t"], ["t"]]);
});
