import assert from "node:assert/strict";
import { TimeIndexCheck } from "../../../../../src/store/sqlite/backup/checks/time_index_check.ts";
import { newEvent } from "../../../made_writes.ts";
import { TestStore } from "../../../test_store.ts";

const EVENTS = 3000;
// The clock goes back now and then.
const TIMES = Array.from(
  { length: EVENTS },
  (_, i) => 1_700_000_000_000_000 + i * 1000 - (i % 700 === 0 ? 5e9 : 0),
);

function faultOf(store: TestStore): string | undefined {
  const check = new TimeIndexCheck(store.db);
  for (const [i, timeMicros] of TIMES.entries()) check.add(i + 1, timeMicros);
  return check.fault();
}

Deno.test("the check of the time index names the events whose block is wrong, missing or too many", () => {
  using store = new TestStore();
  assert.equal(new TimeIndexCheck(store.db).fault(), undefined, "an empty store is fine");
  store.append(TIMES.map(() => newEvent("t")), TIMES);
  assert.equal(faultOf(store), undefined);
  const damages = [
    ["UPDATE time_block SET time_min = time_min - 1 WHERE block = 1", "events 1024 to 2047"],
    ["UPDATE time_block SET time_max = time_max + 1 WHERE block = 0", "events 1 to 1023"],
    ["DELETE FROM time_block WHERE block = 2", "events 2048 to 3000"],
    ["UPDATE time_block SET block = 3 WHERE block = 2", "events 2048 to 3000"],
    ["INSERT INTO time_block VALUES (9, 1, 2)", undefined],
  ] as const;
  for (const [sql, where] of damages) {
    store.db.run("BEGIN");
    store.db.run(sql);
    const expected = where === undefined
      ? "the time index has 4 entries instead of 3"
      : `the time index differs from the times of ${where}`;
    assert.equal(faultOf(store), expected);
    store.db.run("ROLLBACK");
  }
  assert.equal(faultOf(store), undefined);
});
