import { runDeno } from "../../support/run_command.ts";
import { differences, type Result, rowOf, withResults } from "./page.ts";
import type { Suite } from "./suite.ts";
import { SUITES } from "./suites/suites.ts";

/*
 * Runs the suites of others against servers that it starts, and compares what becomes of their tests with
 * docs/compatibility.md: deno task test-outside [--write] [suites]. With --write, the rows of the page become those of
 * this run. People write why a test fails.
 */

const PAGE = new URL("../../../docs/compatibility.md", import.meta.url);

const print = (text: string): void => {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
};

/** The suites that the words choose; all without a word. */
function chosen(words: readonly string[]): readonly Suite[] {
  const known = [...new Set(SUITES.map(({ word }) => word))];
  for (const word of words) {
    if (!known.includes(word)) {
      throw new Error(`there is no suite "${word}": choose from ${known.join(", ")}`);
    }
  }
  return words.length === 0 ? SUITES : SUITES.filter(({ word }) => words.includes(word));
}

async function resultOf(suite: Suite): Promise<Result> {
  const started = performance.now();
  const outcome = await suite.run();
  return { ...suite, outcome, seconds: (performance.now() - started) / 1000 };
}

/** Runs one suite after the other. @returns the results, and why other suites have none */
async function runAll(suites: readonly Suite[]): Promise<{ results: Result[]; errors: string[] }> {
  const results: Result[] = [];
  const errors: string[] = [];
  print("| suite | version | passed | failed | not run | time |");
  for (const suite of suites) {
    try {
      const result = await resultOf(suite);
      results.push(result);
      print(rowOf(result));
    } catch (error) {
      errors.push(`${suite.name} did not run to its end: ${(error as Error).message}`);
    }
  }
  return { results, errors };
}

async function write(results: readonly Result[]): Promise<void> {
  await Deno.writeTextFile(PAGE, withResults(await Deno.readTextFile(PAGE), results));
  const { code, stderr } = await runDeno(["fmt", "--quiet", PAGE.pathname]);
  if (code !== 0) throw new Error(stderr);
}

async function main(args: readonly string[]): Promise<number> {
  const unknown = args.find((arg) => arg.startsWith("-") && arg !== "--write");
  if (unknown !== undefined) throw new Error(`there is no option ${unknown}, only --write`);
  const { results, errors } = await runAll(chosen(args.filter((arg) => arg !== "--write")));
  if (args.includes("--write")) await write(results);
  const page = await Deno.readTextFile(PAGE);
  const wrong = [...errors, ...results.flatMap((result) => differences(page, result))];
  print(wrong.length === 0 ? "\nas docs/compatibility.md says" : `\n${wrong.join("\n")}`);
  return wrong.length === 0 ? 0 : 1;
}

try {
  Deno.exitCode = await main(Deno.args);
} catch (error) {
  Deno.stderr.writeSync(new TextEncoder().encode(`${(error as Error).message}\n`));
  Deno.exitCode = 1;
}
