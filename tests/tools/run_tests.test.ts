import assert from "node:assert/strict";
import { join } from "node:path";
import { outcomeOf, summaryOf, sumOf } from "../../tools/tests/outcome.ts";
import { runsAlone, secondRunsOf, testFiles } from "../../tools/tests/test_files.ts";
import { inDirectory } from "../support/directory.ts";
import { runDeno } from "../support/run_command.ts";

/** Runs `deno task test` on files with these texts. */
async function runTask(files: Readonly<Record<string, string>>): Promise<{ code: number; lines: string[] }> {
  return await inDirectory(async (directory) => {
    for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(join(directory, name), text);
    const cwd = new URL("../../", import.meta.url);
    const { code, stdout } = await runDeno(["task", "--quiet", "test", directory], { cwd });
    return { code, lines: stdout.trimEnd().split("\n") };
  });
}

const PASSES = 'Deno.test("one", () => {});';
const IGNORED = 'Deno.test({ name: "two (ignored: there is none)", ignore: true, fn() {} });';
/** A test that fails in its first run and passes in the second. */
const FAILS_ONCE = `Deno.test("once", () => {
  const seen = new URL(import.meta.url + ".seen");
  try {
    Deno.statSync(seen);
  } catch {
    Deno.writeTextFileSync(seen, "");
    throw new Error("the first time");
  }
});`;

Deno.test("each file has its line, ignored tests say why, a file that passes alone is named, and the last line counts", async () => {
  const { code, lines } = await runTask({
    "busy.test.ts": FAILS_ONCE,
    "first.test.ts": PASSES + IGNORED,
    "second.alone.test.ts": PASSES,
    "no_test.ts": "throw new Error()",
  });
  const text = lines.join("\n");
  assert.equal(code, 0, text);
  assert.match(
    text,
    /^ok \| 1 passed \| [\d.]+ s \| .*\/first\.test\.ts\n +two \(ignored: there is none\) \.\.\. ignored /m,
  );
  assert.match(
    text,
    /^ok \| 1 passed \| [\d.]+ s \| .*\/second\.alone\.test\.ts\n\nagain, alone: .*busy\.test\.ts$/m,
  );
  assert.match(text, /the first time/);
  assert.match(lines.at(-2)!, /^unsteady: .*\/busy\.test\.ts failed next to others and passed alone$/);
  assert.match(lines.at(-1)!, /^ok \| 3 passed \| 0 failed \| 1 ignored \(\d+s\)$/);
});

Deno.test("failed tests, files that cannot be loaded, type errors and lost data fail the run, and are shown", async () => {
  const { code, lines } = await runTask({
    "bad.test.ts": `${PASSES} Deno.test("bad", () => { throw new Error("so bad"); });`,
    "broken.test.ts": 'throw new Error("so broken");',
    "lost_writes.test.ts": FAILS_ONCE,
    "wrong.test.ts": `${PASSES} const count: number = "one";`,
  });
  assert.equal(code, 1);
  const text = lines.join("\n");
  for (const shown of [/so bad/, /so broken/, /the first time/]) assert.match(text, shown);
  assert.match(text, /Type 'string' is not assignable to type 'number'.*\n(?:.*\n)*.*\nFAILED/);
  assert.match(lines.at(-1)!, /^FAILED \| 2 passed \| 4 failed \| 0 ignored/);
});

Deno.test("a run without any test is no success", async () => {
  assert.equal((await runTask({})).code, 1);
});

Deno.test("a second run is for a few failures that the load may explain, not for lost data", () => {
  const busy = "tests/explorer/page/trace.test.ts";
  const lost = [
    "audit/judge",
    "editions/a_write/race",
    "editions/c_ticket/crash",
    "backup/kills",
    "server/groups",
  ]
    .map((name) => `tests/${name}.test.ts`);
  assert.deepEqual(secondRunsOf([lost[0]!, busy, lost[1]!]), [busy]);
  assert.deepEqual(secondRunsOf(lost.slice(1)), []);
  assert.deepEqual(secondRunsOf([busy, busy, busy, busy]), []);
});

Deno.test("without arguments the tests of the system are left out, which are one folder", () => {
  const [some, all] = [testFiles([]), testFiles(["tests/"])];
  const system = testFiles(["tests/system"]);
  assert.ok(some.length > 100 && system.length > 10);
  assert.deepEqual([...some, ...system].sort(), all);
  assert.ok(some.includes("tests/tidy.test.ts"));
  assert.deepEqual(testFiles(["tests/tidy.test.ts", "tests/tidy.test.ts"]), ["tests/tidy.test.ts"]);
});

Deno.test("files that measure time say so in their names", () => {
  assert.equal(runsAlone("tests/http/slow.alone.test.ts"), true);
  assert.equal(runsAlone("tests/http/alone.test.ts"), false);
});

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
