import { summaryOf, sumOf } from "./outcome.ts";
import { runFile, type RunOfFile } from "./run_file.ts";
import { runsAlone, secondRunsOf, testFiles } from "./test_files.ts";

/*
 * Runs test files side by side, each in a process of its own: deno task test [files or folders]
 * Most tests wait, for a disk, a time limit or another process, so there are more processes than cores.
 * The types are checked in the meantime. Files named *.alone.test.ts measure time: they come last, one by one.
 *
 * A few files that failed get a second run, alone: if a file passes there, it failed for the load of the first run. Such
 * files are named before the summary, below their output. There is no second run for files that look for lost or wrong
 * data, and none after many failures.
 */

const PROCESSES_PER_CORE = 3;

/** For more files than this, everything is checked: the runtime may have its result from an earlier check. */
const CHECKED_ALONE_MAX = 100;

const print = (text: string): void => {
  Deno.stdout.writeSync(new TextEncoder().encode(text));
};

/**
 * Checks the types once, so that no test process has to: those of the files and their imports, or of everything.
 * @returns the type errors
 */
async function typeErrors(files: readonly string[] | "all"): Promise<string> {
  if (files.length === 0) return "";
  const args = ["check", "--quiet", ...files === "all" ? [] : files];
  const { success, stderr } = await new Deno.Command(Deno.execPath(), { args, stdin: "null" }).output();
  return success ? "" : new TextDecoder().decode(stderr);
}

/** A line for each file, everything it printed when something failed, and why tests were ignored. */
function report({ file, seconds, output, passed, failed }: RunOfFile): string {
  const line = `${failed === 0 ? "ok" : "FAILED"} | ${passed} passed | ${seconds.toFixed(1)} s | ${file}\n`;
  if (failed > 0) return `${line}${output}\n`;
  const ignored = output.split("\n").filter((line) => / \.\.\. ignored /.test(line));
  return line + ignored.map((line) => `     ${line}\n`).join("");
}

/** An equal share of the ports that the system never assigns by itself. */
function portsOf(lane: number, lanes: number): string {
  const [first, last] = [10_000, 32_000];
  const count = Math.floor((last - first) / lanes);
  return `${first + lane * count}-${first + (lane + 1) * count - 1}`;
}

async function run(files: readonly string[], atOnce: number): Promise<RunOfFile[]> {
  const waiting = [...files];
  const runs: RunOfFile[] = [];
  const work = async (_: unknown, lane: number): Promise<void> => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const ended = await runFile(file, portsOf(lane, atOnce));
      runs.push(ended);
      print(report(ended));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return runs;
}

/** Replaces failed runs by second ones where they count. */
async function runAgain(runs: readonly RunOfFile[]): Promise<RunOfFile[]> {
  const again = secondRunsOf(runs.filter(({ failed }) => failed > 0).map(({ file }) => file));
  if (again.length === 0) return [...runs];
  print(`\nagain, alone: ${again.join(", ")}\n`);
  const second = new Map((await run(again, 1)).map((ended) => [ended.file, ended]));
  return runs.map((first) => second.get(first.file) ?? first);
}

function unsteady(first: readonly RunOfFile[], last: readonly RunOfFile[]): RunOfFile[] {
  return last.filter((run, index) => run.failed === 0 && first[index]!.failed > 0);
}

const started = performance.now();
const files = testFiles(Deno.args);
const checking = typeErrors(Deno.args.length === 0 || files.length > CHECKED_ALONE_MAX ? "all" : files);
const inParallel = await run(
  files.filter((file) => !runsAlone(file)),
  navigator.hardwareConcurrency * PROCESSES_PER_CORE,
);
const errors = await checking;
const first = [...inParallel, ...await run(files.filter(runsAlone), 1)];
const last = await runAgain(first);
const outcome = sumOf([...last, { passed: 0, failed: errors === "" ? 0 : 1, ignored: 0 }]);
print(errors);
print("\n");
for (const { file } of unsteady(first, last)) {
  print(`unsteady: ${file} failed next to others and passed alone\n`);
}
print(`${summaryOf(outcome, (performance.now() - started) / 1000)}\n`);
Deno.exit(outcome.failed === 0 && outcome.passed > 0 ? 0 : 1);
