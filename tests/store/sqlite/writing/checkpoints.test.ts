import { delay } from "../../../../src/async/delay.ts";
import assert from "node:assert/strict";
import type { StoreNotice } from "../../../../src/store/api/store.ts";
import { termItem } from "../../../../src/store/core/index_terms.ts";
import { indexedSequences, itemExpression } from "../../../../src/store/sqlite/tables/tag_index.ts";
import { openForWriting } from "../../../../src/store/sqlite/connection/connection.ts";
import { SqlCode } from "../../../../src/store/sqlite/connection/database.ts";
import { Checkpoints } from "../../../../src/store/sqlite/writing/checkpoints.ts";
import { TransactionRunner } from "../../../../src/store/sqlite/writing/transaction_runner.ts";
import { eventually } from "../../../support/eventually.ts";
import { newEvent } from "../../made_writes.ts";
import { TestStore } from "../../test_store.ts";

/** Enough for more than the 1000 pages of 4 KB after which a checkpoint is due. */
const MANY = Array.from({ length: 200 }, () => newEvent("t", [], "x".repeat(100_000)));

/** The number of pages in the WAL, and of those that are not in the database file yet. */
function walPages(store: TestStore): { total: number; pending: number } {
  const [, total = 0, checkpointed = 0] = store.db.get("PRAGMA wal_checkpoint(NOOP)") as number[];
  return { total, pending: total - checkpointed };
}

Deno.test("a checkpoint moves a long WAL into the file, the last one empties it, and both restore the wait for locks", () => {
  using store = new TestStore();
  const transactions = new TransactionRunner(store.db);
  const checkpoints = new Checkpoints(store.db, transactions, () => assert.fail("nothing breaks"));
  const busyTimeout = (): unknown => store.db.get("PRAGMA busy_timeout")?.[0];
  store.append([newEvent("t")]);
  checkpoints.runWhenDue();
  const { total, pending } = walPages(store);
  assert.ok(total > 0 && pending === total, "little is not moved by itself");
  store.append(MANY);
  assert.ok(walPages(store).pending > 1000, "nothing is moved by SQLite");
  checkpoints.runWhenDue();
  assert.equal(walPages(store).pending, 0);
  assert.ok(Deno.statSync(`${store.path}-wal`).size > 0);
  assert.equal(busyTimeout(), 5000);
  checkpoints.runLast();
  assert.equal(Deno.statSync(`${store.path}-wal`).size, 0);
  assert.equal(busyTimeout(), 5000);
  assert.equal(transactions.broken, undefined);
});

Deno.test("a WAL is not called empty when SQLite has begun a new one, and could not truncate the file of the old one", () => {
  using store = new TestStore();
  const checkpoints = new Checkpoints(store.db, new TransactionRunner(store.db), () => {});
  store.append([newEvent("t")]);
  const get = store.db.get.bind(store.db);
  store.db.get = (sql, ...values) => {
    const row = get(sql, ...values);
    if (sql === "PRAGMA wal_checkpoint(TRUNCATE)") {
      throw Object.assign(new Error("disk I/O error"), { errcode: SqlCode.ioError });
    }
    return row;
  };
  assert.equal(checkpoints.emptyWal(), false);
  assert.equal(checkpoints.failure, "checkpoint failed: disk I/O error");
});

Deno.test("the WAL of an idle store is emptied, once the last of several transactions is long enough ago", async () => {
  using store = new TestStore();
  const transactions = new TransactionRunner(store.db);
  const checkpoints = new Checkpoints(store.db, transactions, () => assert.fail("nothing breaks"));
  for (let turn = 0; turn < 3; turn++) {
    store.append([newEvent("t")]);
    checkpoints.runWhenDue();
    await delay(100);
  }
  assert.ok(Deno.statSync(`${store.path}-wal`).size > 0);
  await eventually(() => assert.equal(Deno.statSync(`${store.path}-wal`).size, 0));
  assert.equal(walPages(store).total, 0);
  assert.equal(transactions.broken, undefined);
  // Once more, after the store was idle.
  store.append([newEvent("t")]);
  checkpoints.runWhenDue();
  await eventually(() => assert.equal(Deno.statSync(`${store.path}-wal`).size, 0));
  checkpoints.stop();
});

/** The number of sorted runs in the tag index: its pages are numbered by run. */
function indexRuns(store: TestStore): number {
  return store.db.get("SELECT count(DISTINCT segid) FROM event_term_idx")![0] as number;
}

Deno.test("an idle store merges the runs of the tag index, in short steps, and then writes nothing any more", async () => {
  using store = new TestStore();
  const checkpoints = new Checkpoints(
    store.db,
    new TransactionRunner(store.db),
    () => assert.fail("nothing breaks"),
  );
  for (let i = 0; i < 150; i++) store.append([newEvent(`type${i}`), newEvent("t")]);
  const runs = indexRuns(store);
  assert.ok(runs > 5);
  checkpoints.runWhenDue();
  await eventually(() => assert.equal(Deno.statSync(`${store.path}-wal`).size, 0), 20);
  assert.ok(indexRuns(store) < runs / 2, `${runs} runs became ${indexRuns(store)}`);
  store.db.run("INSERT INTO event_term (event_term) VALUES ('integrity-check')");
  const find = (type: string): number[] => {
    const expression = itemExpression(termItem({ types: [type], identifiers: [], metadata: [] }));
    return indexedSequences(store.db, expression, { after: 0, upTo: 300 }, 300);
  };
  assert.equal(find("t").length, 150);
  assert.deepEqual(find("type149"), [299]);
  const changed = (): unknown => store.db.get("PRAGMA data_version");
  const before = [changed(), Deno.statSync(store.path).mtime];
  await delay(2500);
  assert.deepEqual([changed(), Deno.statSync(store.path).mtime], before);
});

Deno.test("runs that were unmerged when the store was closed are merged when it is idle after the next start, without any transaction", async () => {
  using store = new TestStore();
  for (let i = 0; i < 150; i++) store.append([newEvent(`type${i}`)]);
  const runs = indexRuns(store);
  const checkpoints = new Checkpoints(
    store.db,
    new TransactionRunner(store.db),
    () => assert.fail("nothing breaks"),
  );
  checkpoints.awaitRest();
  await eventually(() => assert.ok(indexRuns(store) < runs / 2), 20);
  await eventually(() => assert.equal(Deno.statSync(`${store.path}-wal`).size, 0), 20);
  // After another start, there is nothing left to do.
  const changed = (): unknown => [store.db.get("PRAGMA data_version"), Deno.statSync(store.path).mtime];
  const before = changed();
  const next = new Checkpoints(
    store.db,
    new TransactionRunner(store.db),
    () => assert.fail("nothing breaks"),
  );
  next.awaitRest();
  await delay(2500);
  assert.deepEqual(changed(), before);
  next.stop();
});

Deno.test("when a reader of another program keeps a long WAL from being used again, the writer reports it, and does not wait each time", async () => {
  using store = new TestStore();
  const transactions = new TransactionRunner(store.db);
  const failures: StoreNotice[] = [];
  const checkpoints = new Checkpoints(
    store.db,
    transactions,
    () => assert.fail("nothing breaks"),
    (event) => failures.push(event),
  );
  store.append(MANY);
  // A reader of another program. While it reads, nothing written since may be moved.
  using other = openForWriting(store.path);
  other.run("BEGIN");
  other.get("SELECT count(*) FROM event");
  for (let i = 0; i < 9; i++) store.append(MANY);
  assert.ok(walPages(store).total > 40_000);
  checkpoints.runWhenDue();
  assert.deepEqual(failures, [
    { kind: "checkpointFailed", reason: "another program has been reading the database for long" },
  ]);
  await delay(20);
  const begunAt = performance.now();
  checkpoints.runWhenDue();
  const milliseconds = performance.now() - begunAt;
  assert.ok(milliseconds < 700, `the second time it waited for ${milliseconds} ms`);
  assert.equal(failures.length, 1);
  other.run("ROLLBACK");
  await delay(20);
  checkpoints.runWhenDue();
  assert.equal(failures.length, 1);
  assert.equal(walPages(store).pending, 0);
  checkpoints.stop();
});
