import assert from "node:assert/strict";
import { outcomeOf, summaryOf, sumOf } from "../../tools/tests/outcome.ts";

Deno.test("what became of a file is read from the runtime's summary", () => {
  const cases = [
    ["ok | 12 passed | 0 failed (2s)", true, [12, 0, 0]],
    ["ok | 12 passed (3 steps) | 0 failed | 1 ignored (2s)", true, [12, 0, 1]],
    ["FAILED | 3 passed | 2 failed (1 step) | 4 ignored (2ms)", false, [3, 2, 4]],
    ["ok | 1 passed | 0 failed | 3 filtered out (2ms)", true, [1, 0, 0]],
    // A test may print what another run ended with.
    ["FAILED | 0 passed | 9 failed (2ms)\n\nok | 1 passed | 0 failed (2ms)\n", true, [1, 0, 0]],
  ] as const;
  for (const [output, success, [passed, failed, ignored]] of cases) {
    assert.deepEqual(outcomeOf(output, success), { passed, failed, ignored }, output);
  }
});

Deno.test("a process that ends badly without naming a failed test is one", () => {
  assert.deepEqual(outcomeOf("Segmentation fault\n", false), { passed: 0, failed: 1, ignored: 0 });
  assert.deepEqual(outcomeOf("ok | 2 passed | 0 failed (2ms)\n", false), {
    passed: 2,
    failed: 1,
    ignored: 0,
  });
});

Deno.test("the summary of a run is written as the runtime writes that of a file", () => {
  const sum = sumOf([{ passed: 1, failed: 0, ignored: 2 }, { passed: 10, failed: 3, ignored: 0 }]);
  assert.deepEqual(outcomeOf(summaryOf(sum, 61.4), false), { passed: 11, failed: 3, ignored: 2 });
  assert.equal(summaryOf(sum, 61.4), "FAILED | 11 passed | 3 failed | 2 ignored (61s)");
});
