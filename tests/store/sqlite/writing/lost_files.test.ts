import assert from "node:assert/strict";
import { StoreFiles } from "../../../../src/store/sqlite/data_directory/store_files.ts";
import { Writer } from "../../../../src/store/sqlite/writing/writer.ts";
import { ofTypes } from "../../made_writes.ts";
import { TestStore } from "../../test_store.ts";

const REASON = "events.db was deleted or moved away";
const REJECTED = { kind: "failed", reason: REASON, code: "Unavailable", cause: "lostFiles" };

function withWriter(run: (store: TestStore, writer: Writer) => void): void {
  using store = new TestStore();
  store.append([]);
  const files = new StoreFiles(store.path);
  run(store, new Writer(store.db, false, (event) => store.reported.push(event), files));
}

/** Moves the database away during the `nth` call of `Deno.statSync` that checks it. */
function takeAwayAtLook(path: string, nth: number): Disposable {
  const { statSync } = Deno;
  let looks = 0;
  const stat = (looked: string | URL): Deno.FileInfo => {
    if (looked === path && ++looks === nth) Deno.renameSync(path, `${path}.away`);
    return statSync(looked);
  };
  Object.assign(Deno, { statSync: stat });
  return { [Symbol.dispose]: () => void Object.assign(Deno, { statSync }) };
}

Deno.test("when the database is gone before the COMMIT, certainly nothing is written, and every later transaction is rejected", () => {
  withWriter((store, writer) => {
    {
      using _gone = takeAwayAtLook(store.path, 1);
      assert.deepEqual(writer.group([ofTypes("a"), ofTypes("b")]), [REJECTED, REJECTED]);
    }
    assert.deepEqual(store.db.get("SELECT count(*) FROM event"), [0]);
    Deno.renameSync(`${store.path}.away`, store.path);
    for (const outcome of [writer.reset(), writer.begin(), writer.setPaused(1), writer.optimize()]) {
      assert.deepEqual(outcome, REJECTED);
    }
    writer.afterAnswer();
    assert.deepEqual(store.reported, [{ kind: "lost", reason: REASON }]);
  });
});

Deno.test("when the database is moved during the COMMIT, the outcome is unknown", () => {
  withWriter((store, writer) => {
    {
      using _gone = takeAwayAtLook(store.path, 2);
      assert.deepEqual(writer.group([ofTypes("a")]), [{
        kind: "unknown",
        reason: REASON,
        cause: "lostFiles",
      }]);
    }
    assert.deepEqual(store.db.get("SELECT count(*) FROM event"), [1]);
    assert.deepEqual(writer.group([ofTypes("b")]), [REJECTED]);
    assert.deepEqual(writer.begin(), REJECTED);
  });
});

Deno.test("a transaction that is open when a file is lost can read and write, but not commit", () => {
  withWriter((store, writer) => {
    assert.equal(writer.begin().kind, "done");
    Deno.renameSync(store.path, `${store.path}.away`);
    writer.afterAnswer();
    assert.equal(writer.writeInside(ofTypes("a")).kind, "done");
    assert.deepEqual(writer.commit(), REJECTED);
    writer.rollback();
    assert.deepEqual(writer.begin(), REJECTED);
  });
});
