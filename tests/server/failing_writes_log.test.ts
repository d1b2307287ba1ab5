import assert from "node:assert/strict";
import { FailingWritesLog } from "../../src/server/failing_writes_log.ts";
import { WriteHealth } from "../../src/store/core/write_health.ts";

/** A log of the writes of a store, whose minutes end when the test says so. */
function logged(): { lines: string[]; fails: (reason: string) => void; succeeds(): void; endMinute(): void } {
  const health = new WriteHealth();
  const lines: string[] = [];
  let minute: (() => void) | undefined;
  const log = new FailingWritesLog(health, (line) => lines.push(line), (callBack) => {
    assert.equal(minute, undefined, "one minute at a time");
    minute = callBack;
    return () => {};
  });
  health.onChange = () => log.changed();
  return {
    lines,
    fails: (reason) => health.failed({ kind: "failed", reason, cause: "diskFull" }),
    succeeds: () => health.committed(),
    endMinute(): void {
      const callBack = minute ?? assert.fail("no minute has begun");
      minute = undefined;
      callBack();
    },
  };
}

Deno.test("that writes fail is said at once, then once a minute with a count, and its end at once", () => {
  const { lines, fails, succeeds, endMinute } = logged();
  succeeds();
  for (let i = 0; i < 3; i++) fails("full");
  assert.deepEqual(lines.splice(0), ["writes fail: full"]);
  endMinute();
  assert.deepEqual(lines.splice(0), ["writes fail: full (2 more failed)"]);
  for (let i = 0; i < 5; i++) fails("still full");
  endMinute();
  assert.deepEqual(lines.splice(0), ["writes fail: still full (5 more failed)"]);
  endMinute();
  assert.deepEqual(lines, [], "no client has tried");
  fails("full");
  succeeds();
  assert.deepEqual(lines.splice(0), ["writes succeed again (1 more failed)"]);
  fails("full again");
  succeeds();
  assert.deepEqual(lines, ["writes fail: full again", "writes succeed again"], "another time");
});

Deno.test("when failing and committed writes alternate, it is said once, and then once a minute", () => {
  const { lines, fails, succeeds, endMinute } = logged();
  const alternate = (): void => {
    for (let i = 0; i < 1000; i++) {
      fails("full");
      succeeds();
    }
  };
  alternate();
  assert.deepEqual(lines.splice(0), ["writes fail: full", "writes succeed again"]);
  endMinute();
  assert.deepEqual(lines.splice(0), ["writes succeed again (999 more failed)"]);
  alternate();
  fails("full");
  endMinute();
  assert.deepEqual(lines.splice(0), ["writes fail: full (1001 more failed)"]);
  succeeds();
  assert.deepEqual(lines, ["writes succeed again"]);
});
