import assert from "node:assert/strict";
import { differences, explainedIn, type Result, rowOf, rowsOf, withResults } from "../system/outside/page.ts";
import { SUITES } from "../system/outside/suites/suites.ts";
import {
  outcomeOf,
  outcomeOfCargo,
  outcomeOfSchemathesis,
  outcomeOfSurefire,
  outcomeOfUnittest,
} from "../system/outside/summaries.ts";

/* `deno task test-outside` reads the output of suites and docs/compatibility.md. That page has the form it needs. */

const CARGO = `
running 4 tests
test model::agrees ... FAILED
test rules::appends ... ok
test rules::reads ... ok
test rules::faults ... ok

successes:

---- rules::faults stdout ----
SKIP faults: fixture declines \`FAULT\`

test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.20s
`;

Deno.test("the outcome of cargo has the names of failed tests, and counts no test that the suite left out as passed", () => {
  assert.deepEqual(outcomeOfCargo(CARGO), { passed: 2, failed: ["agrees"], notRun: ["faults"] });
});

const UNITTEST = `test_a (tests.suite.TestOne.test_a)
What it does. ... ok
test_b (tests.suite.TestOne.test_b) ... FAIL
test_c (tests.suite.TestOne.test_c) ... ERROR
test_d (tests.suite.TestOne.test_d) ... skipped 'needs another store'

======================================================================
FAIL: test_b (tests.suite.TestOne.test_b)
----------------------------------------------------------------------
ERROR: test_c (tests.suite.TestOne.test_c)
----------------------------------------------------------------------
Ran 4 tests in 1.234s

FAILED (failures=1, errors=1, skipped=1)
`;

Deno.test("the outcome of unittest has the names of tests that failed, broke or were skipped", () => {
  const one = (name: string): string => `suite.TestOne.${name}`;
  assert.deepEqual(outcomeOfUnittest(UNITTEST), {
    passed: 1,
    failed: [one("test_b"), one("test_c")],
    notRun: [one("test_d")],
  });
  const twice = UNITTEST.replace("failures=1", "failures=2").replace(/^FAIL: .*$/m, "$& [1]\n\n$& [2]");
  assert.deepEqual(outcomeOfUnittest(twice), outcomeOfUnittest(UNITTEST));
  assert.deepEqual(outcomeOfUnittest("Ran 21 tests in 3.2s\n\nOK\n"), { passed: 21, failed: [], notRun: [] });
});

const SUREFIRE = `<testsuite name="a.Suite" time="0.9" tests="0" errors="0" skipped="0" failures="0">
  <properties/>
  <testcase name="appends" classname="a.Suite" time="0.1"/>
  <testcase name="reads" classname="a.Suite" time="0.1">
    <failure message="no" type="AssertionError">at ...</failure>
    <system-out>...</system-out>
  </testcase>
  <testcase name="streams" classname="a.Suite" time="0.1"><error type="IOException"/></testcase>
  <testcase name="resets" classname="a.Suite" time="0"><skipped/></testcase>
</testsuite>`;

Deno.test("the outcome of Maven has the names of tests that failed, broke or were skipped", () => {
  assert.deepEqual(outcomeOfSurefire(SUREFIRE), {
    passed: 1,
    failed: ["reads", "streams"],
    notRun: ["resets"],
  });
});

Deno.test("the outcome of Schemathesis counts requests, and names the operations that fail", () => {
  const passed = "Test cases:\n  1065 generated, 1065 passed\n\nSeed: 1\n";
  assert.deepEqual(outcomeOfSchemathesis(passed), { passed: 1065, failed: [], notRun: [] });
  const failed = "____ QUERY /events ____\n1. Test Case ID: x\n\n" +
    "Test cases:\n  1065 generated, 2 found 1 unique failures, 1063 passed\n";
  assert.deepEqual(outcomeOfSchemathesis(failed), { passed: 1063, failed: ["QUERY /events"], notRun: [] });
});

Deno.test("output without a summary, or with one that counts other tests than are named, is an error", () => {
  for (const read of [outcomeOfCargo, outcomeOfUnittest, outcomeOfSurefire, outcomeOfSchemathesis]) {
    assert.throws(() => read("Segmentation fault\n"), /printed no summary:\nSegmentation fault/);
  }
  assert.throws(
    () => outcomeOfCargo(CARGO.replace("1 failed", "2 failed")),
    /counts other tests than it names/,
  );
  assert.throws(() => outcomeOfUnittest(UNITTEST.replace("errors=1, ", "")), /counts other tests/);
  assert.throws(() => outcomeOfUnittest(UNITTEST.replace("skipped=1", "skipped=2")), /counts other tests/);
  assert.throws(() => outcomeOfSurefire(SUREFIRE.replace("</testsuite>", "")), /no summary/);
  assert.throws(
    () => outcomeOfSchemathesis("Test cases:\n  9 generated, 1 found 1 unique failures\n"),
    /counts/,
  );
});

Deno.test("a runner whose exit code and failed tests disagree is an error", () => {
  const end = (code: number, stdout: string): unknown =>
    outcomeOf(outcomeOfCargo, { code, stdout, stderr: "" });
  assert.deepEqual(end(101, CARGO), outcomeOfCargo(CARGO));
  assert.throws(() => end(0, CARGO), /the runner ended with 0 and 1 failed tests/);
  const passed = "test result: ok. 3 passed; 0 failed; 0 ignored\n";
  assert.throws(() => end(1, passed), /the runner ended with 1 and 0 failed tests/);
});

const PAGE = `# Page

| suite  | version | passed | failed | not run | time |
| ------ | ------- | -----: | -----: | ------: | ---: |
| exact  | 1.2.3   |      5 |      2 |       1 |  9 s |
| random | 4       | 7,000+ |      0 |       0 | 80 s |

## Why

### exact

- \`test_a\`,
  \`test_b\`: the store has a limit.
- not run, \`test_c\`: no adapter can do it.

### other

- \`test_d\`: of another suite.
`;

const EXACT: Result = {
  name: "exact",
  version: "1.2.3",
  random: false,
  outcome: { passed: 5, failed: ["test_a", "test_b"], notRun: ["test_c"] },
  seconds: 8.1,
};
const RANDOM: Result = {
  name: "random",
  version: "4",
  random: true,
  outcome: { passed: 7999, failed: [], notRun: [] },
  seconds: 79.2,
};

Deno.test("a page that says what a run brought has no difference", () => {
  assert.deepEqual(differences(PAGE, EXACT), []);
  assert.deepEqual(differences(PAGE, RANDOM), []);
});

Deno.test("every other version, number or name of a test is a difference", () => {
  const { outcome } = EXACT;
  const changed = (change: Partial<Result["outcome"]>): string[] =>
    differences(PAGE, { ...EXACT, outcome: { ...outcome, ...change } });
  assert.deepEqual(differences(PAGE, { ...EXACT, name: "new" }), ["new has no row"]);
  assert.deepEqual(differences(PAGE, { ...EXACT, version: "1.2.4" }), [
    "exact: version is 1.2.4, and the page says 1.2.3",
  ]);
  assert.deepEqual(changed({ passed: 6 }), ["exact: passed is 6, and the page says 5"]);
  assert.deepEqual(changed({ failed: ["test_a", "test_x"] }), [
    "exact: test_x failed, and the page does not say why",
    "exact: the page says why test_b failed, which is not so",
  ]);
  assert.deepEqual(changed({ notRun: [] }), [
    "exact: not run is 0, and the page says 1",
    "exact: the page says why test_c was not run, which is not so",
  ]);
  const fewer = { ...RANDOM, outcome: { ...RANDOM.outcome, passed: 6999 } };
  assert.deepEqual(differences(PAGE, fewer), ["random: passed is 6999, and the page says 7000"]);
});

Deno.test("the rows of a run replace those of the page, and no others", () => {
  const written = withResults(PAGE, [{ ...EXACT, outcome: { ...EXACT.outcome, passed: 1234 } }]);
  assert.match(written, /^\| exact \| 1\.2\.3 \| 1,234 \| 2 \| 1 \| 9 s \|$/m);
  assert.match(written, /^\| random \| 4 {7}\| 7,000\+/m);
  assert.equal(rowsOf(written).get("exact")?.passed, 1234);
  assert.equal(rowOf(RANDOM), "| random | 4 | 7,000+ | 0 | 0 | 80 s |");
  assert.throws(() => withResults(PAGE, [{ ...EXACT, name: "new" }]), /no row for new: add one/);
});

Deno.test("docs/compatibility.md has a row for each suite, and says why tests fail or do not run", () => {
  const page = Deno.readTextFileSync(new URL("../../docs/compatibility.md", import.meta.url));
  const rows = rowsOf(page);
  assert.deepEqual([...rows.keys()], SUITES.map(({ name }) => name));
  for (const { name, version, random } of SUITES) {
    const row = rows.get(name)!;
    const explained = explainedIn(page, name);
    assert.deepEqual(
      { version: row.version, orMore: row.orMore, failed: row.failed, notRun: row.notRun },
      { version, orMore: random, failed: explained.failed.length, notRun: explained.notRun.length },
      name,
    );
    assert.ok(row.passed > 0, name);
  }
});
