import assert from "node:assert/strict";
import { join } from "node:path";
import { mayFailUnderLoad, runsAlone, testFiles } from "../../tools/tests/test_files.ts";

/** Runs `deno task test` on files with these texts. */
async function runTask(files: Readonly<Record<string, string>>): Promise<{ code: number; lines: string[] }> {
  const directory = await Deno.makeTempDir({ prefix: "eventstore_test_" });
  try {
    for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(join(directory, name), text);
    const { code, stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["task", "--quiet", "test", directory],
      cwd: new URL("../../", import.meta.url),
      stdin: "null",
    }).output();
    return { code, lines: new TextDecoder().decode(stdout).trimEnd().split("\n") };
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

const PASSES = 'Deno.test("one", () => {});';
const IGNORED = 'Deno.test({ name: "two (ignored: there is none)", ignore: true, fn() {} });';

Deno.test("each file has its line, ignored tests say why, and the last line counts them all", async () => {
  const { code, lines } = await runTask({
    "first.test.ts": PASSES + IGNORED,
    "second.alone.test.ts": PASSES,
    "no_test.ts": "throw new Error()",
  });
  assert.equal(code, 0);
  assert.match(lines[0]!, /^ok \| 1 passed \| [\d.]+ s \| .*\/first\.test\.ts$/);
  assert.match(lines[1]!, /^ +two \(ignored: there is none\) \.\.\. ignored /);
  assert.match(lines[2]!, /^ok \| 1 passed \| [\d.]+ s \| .*\/second\.alone\.test\.ts$/);
  assert.match(lines.at(-1)!, /^ok \| 2 passed \| 0 failed \| 1 ignored \(\d+s\)$/);
});

Deno.test("what a file with a failed test printed is shown, and so is one that cannot be loaded", async () => {
  const { code, lines } = await runTask({
    "bad.test.ts": `${PASSES} Deno.test("bad", () => { throw new Error("so bad"); });`,
    "broken.test.ts": 'throw new Error("so broken");',
  });
  assert.equal(code, 1);
  assert.match(lines.join("\n"), /so bad/);
  assert.match(lines.join("\n"), /so broken/);
  assert.match(lines.at(-1)!, /^FAILED \| 1 passed \| 2 failed \| 0 ignored/);
});

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

Deno.test("a file that passes alone has not failed, but is named, and what it printed is shown", async () => {
  const { code, lines } = await runTask({ "busy.test.ts": FAILS_ONCE, "fine.test.ts": PASSES });
  assert.equal(code, 0, lines.join("\n"));
  assert.match(lines.join("\n"), /the first time/);
  assert.match(lines.at(-2)!, /^unsteady: .*\/busy\.test\.ts failed next to others and passed alone$/);
  assert.match(lines.at(-1)!, /^ok \| 2 passed \| 0 failed/);
});

Deno.test("a file that looks for lost data has one run, and so have files when many failed", async () => {
  const lost = await runTask({ "lost_writes.test.ts": FAILS_ONCE });
  assert.equal(lost.code, 1);
  assert.match(lost.lines.at(-1)!, /^FAILED \| 0 passed \| 1 failed/);
  const names = ["a", "b", "c", "d"].map((name) => [`${name}.test.ts`, FAILS_ONCE]);
  const many = await runTask(Object.fromEntries(names));
  assert.match(many.lines.at(-1)!, /^FAILED \| 0 passed \| 4 failed/);
});

Deno.test("which failures count at once is told by names", () => {
  assert.equal(mayFailUnderLoad("tests/explorer/page/trace.test.ts"), true);
  for (const name of ["audit/judge", "editions/a_write/race", "editions/c_ticket/crash", "backup/kills"]) {
    assert.equal(mayFailUnderLoad(`tests/${name}.test.ts`), false, name);
  }
});

Deno.test("a type error is shown last and fails the run, also when every test passes", async () => {
  const { code, lines } = await runTask({
    "first.test.ts": PASSES,
    "wrong.test.ts": `${PASSES} const count: number = "one";`,
  });
  assert.equal(code, 1);
  assert.match(lines.join("\n"), /Type 'string' is not assignable to type 'number'/);
  assert.match(lines.at(-1)!, /^FAILED \| 2 passed \| 1 failed \| 0 ignored/);
});

Deno.test("a run without any test is no success", async () => {
  assert.equal((await runTask({})).code, 1);
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
