import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { REPOSITORY } from "../../tools/build/program_task.ts";
import { type Bug, type Catcher, withEdit } from "./bug.ts";
import { runDeno } from "../../tests/support/run_command.ts";

/** The files of the repository that the checks and tests need. */
const COPIED = [
  "main.ts",
  "deno.json",
  "deno.lock",
  "src",
  "cli",
  "client",
  "explorer",
  "audit",
  "tests",
  "tools",
  "bench",
  "docs",
];

/** Copies the program with its audit into an empty directory, and plants the bug, if one is given, in the copy. */
export function plant(bug: Bug | undefined, directory: string): void {
  const root = fileURLToPath(REPOSITORY);
  for (const name of COPIED) copy(join(root, name), join(directory, name));
  for (const edit of bug?.edits ?? []) {
    const path = join(directory, edit.file);
    Deno.writeTextFileSync(path, withEdit(Deno.readTextFileSync(path), edit));
  }
}

function copy(from: string, to: string): void {
  if (!Deno.statSync(from).isDirectory) {
    Deno.mkdirSync(dirname(to), { recursive: true });
    return Deno.copyFileSync(from, to);
  }
  for (const { name } of Deno.readDirSync(from)) copy(join(from, name), join(to, name));
}

export interface Catch {
  /** True when the check or the tests failed because of what they observed. */
  readonly isCaught: boolean;
  /** True when they passed. */
  readonly isFine: boolean;
  /** Their output. */
  readonly output: string;
}

/**
 * Runs the check or the tests that must notice the bug, in the copy and with its code.
 * @param stores where the stores of a check lie meanwhile
 */
export async function runCatcher(
  catcher: Catcher,
  { copy, stores }: { readonly copy: string; readonly stores: string },
  seed: number,
): Promise<Catch> {
  // The stores of a failed check are of no use once the failure is known.
  const directory = Deno.makeTempDirSync({ dir: stores, prefix: "bug_" });
  const args = "tests" in catcher
    ? ["test", "--quiet", "--no-check", "--allow-all", "--unstable-no-legacy-abort", catcher.tests]
    : [
      "run",
      "--quiet",
      "--no-check",
      "--allow-all",
      "audit/check.ts",
      ...checkArgs(catcher, directory, seed),
    ];
  const { code, stdout, stderr } = await runDeno(args, { cwd: copy });
  Deno.removeSync(directory, { recursive: true });
  const output = stdout + stderr;
  return { isCaught: code === 1 && isFinding(catcher, output), isFine: code === 0, output };
}

function checkArgs(
  catcher: Extract<Catcher, { readonly check: string }>,
  stores: string,
  seed: number,
): string[] {
  const { check, edition, rounds } = catcher;
  return [
    check,
    "--edition",
    edition,
    "--rounds",
    String(rounds),
    "--seed",
    String(seed),
    "--directory",
    stores,
  ];
}

/**
 * Returns false when a check had too little to look at, or when the tests did not even start: then nothing was noticed.
 */
function isFinding(catcher: Catcher, output: string): boolean {
  return "tests" in catcher
    ? /^FAILED \| \d+ passed/m.test(output) && !/\(uncaught error\)/.test(output)
    : /^FAILED /m.test(output) && !/too little was tried/.test(output);
}
