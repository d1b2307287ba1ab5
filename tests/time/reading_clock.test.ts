import assert from "node:assert/strict";
import { ReadingClock } from "../../src/time/reading_clock.ts";
import { Deadline } from "../../src/http/transport/timeouts.ts";

/** A clock, and a function that lets milliseconds pass until the next sweep. The sweep returns the time to check. */
function clockAndSweeps(): { clock: ReadingClock; sweepAfter: (milliseconds: number) => number } {
  let real = 1000;
  const clock = new ReadingClock(() => real);
  return {
    clock,
    sweepAfter(milliseconds) {
      real += milliseconds;
      return clock.sweep();
    },
  };
}

Deno.test("a sweep in time counts all that has passed", () => {
  const { clock, sweepAfter } = clockAndSweeps();
  assert.deepEqual([250, 255, 270, 250].map(sweepAfter), [1250, 1505, 1775, 2025]);
  assert.equal(clock.now, 2025);
});

Deno.test("a late sweep counts one interval, and no deadline is checked against it", () => {
  const { clock, sweepAfter } = clockAndSweeps();
  assert.equal(sweepAfter(300), 1000);
  assert.equal(clock.now, 1250);
  assert.equal(sweepAfter(250), 1500);
  assert.equal(sweepAfter(60_000), 1500);
  assert.equal(sweepAfter(300), 1750, "a server that is always late gets on, too");
  assert.equal(clock.now, 2000);
});

Deno.test("a deadline has all its time, however often the server is held up", () => {
  const { clock, sweepAfter } = clockAndSweeps();
  const deadline = new Deadline(clock);
  deadline.set(1);
  for (const milliseconds of [5000, 350, 250, 250]) {
    assert.equal(deadline.isOver(sweepAfter(milliseconds)), false);
  }
  assert.equal(deadline.isOver(sweepAfter(250)), true);
});
