import assert from "node:assert/strict";
import { injectionOf, type Trial, Trials, trialText } from "../../audit/faults/trials.ts";
import { countCalls, hasEnded, hasInjected } from "../../audit/server/traced_calls.ts";
import { Random } from "../../audit/workload/random.ts";

const COUNTS = new Map([["stop", new Map([["fsync", 3], ["unlink", 1]])], [
  "write",
  new Map([["fsync", 2]]),
]]);
const CALLS = ["fsync", "unlink"];

/** Runs all trials, when `made` gives the number of calls. */
function tried(trials: Trials, made = COUNTS): string[] {
  const all: Trial[] = [];
  for (let trial = trials.next(); trial !== undefined; trial = trials.next()) {
    all.push(trial);
    trials.tried(trial, trial.n <= (made.get(trial.occasion)?.get(trial.call) ?? 0));
  }
  return all.map((trial) => `${trial.occasion} ${injectionOf(trial)}`);
}

const newTrials = (seed: number, nMax = 60) =>
  new Trials(COUNTS, CALLS, ["once", "lasting"], new Random(seed), nMax);

Deno.test("each call that is made fails in every way, and the call after the last one is tried once", () => {
  const all = tried(newTrials(1));
  assert.equal(new Set(all).size, all.length);
  // Two errors, two spans; and once for each kind of call at each occasion.
  assert.equal(all.length, 6 * 4 + 4);
  assert.ok(all.includes("stop fsync:error=ENOSPC:when=3"));
  assert.ok(all.includes("stop fsync:error=EIO:when=4+"));
  assert.deepEqual(all, tried(newTrials(1)));
  assert.notDeepEqual(all, tried(newTrials(2)));
});

Deno.test("calls beyond the counted ones are tried until there is no further one", () => {
  const made = new Map([["stop", new Map([["fsync", 5], ["unlink", 1]])], [
    "write",
    new Map([["fsync", 2]]),
  ]]);
  const all = tried(newTrials(3), made);
  assert.equal(all.length, 8 * 4 + 4);
  assert.equal(new Set(all).size, all.length);
});

Deno.test("beyond a bound, calls are not tried", () => {
  assert.equal(tried(newTrials(4, 2)).length, (2 + 1 + 2) * 4 + 2);
});

Deno.test("a short run tries every kind of call", () => {
  const trials = newTrials(5);
  const first = [1, 2, 3].map(() => trials.next()!);
  assert.deepEqual(new Set(first.map(({ occasion, call }) => `${occasion} ${call}`)).size, 3);
});

Deno.test("a failure of two calls is described as such", () => {
  const trial: Trial = { occasion: "write", call: "fsync", n: 2, error: "EIO", span: "twice" };
  assert.equal(injectionOf(trial), "fsync:error=EIO:when=2..3");
  assert.equal(trialText(trial), "write: fsync number 2 and the next one fail with EIO");
});

Deno.test("calls are counted for the thread that makes most of them", () => {
  const trace = '7 openat(AT_FDCWD, "x") = 3\n9 fsync(3) = 0\n9 openat(AT_FDCWD, "x") = 4\n' +
    '9 openat(AT_FDCWD, "y") = -1 EIO (Input/output error) (INJECTED)\n9 <... fsync resumed>) = 0\n';
  assert.deepEqual(countCalls(trace), new Map([["openat", 2], ["fsync", 1]]));
  assert.equal(hasInjected(trace), true);
  assert.equal(hasEnded(`${trace}9 +++ exited with 1 +++\n`, 7), false);
  assert.equal(hasEnded(`${trace}7 +++ exited with 1 +++\n`, 7), true);
});
