import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { REPOSITORY } from "../../tools/build/program_task.ts";
import { type Bug, type Catcher, withEdit } from "./bug.ts";

/** What the checks and tests need of the repository. */
const COPIED = [
  "main.ts",
  "deno.json",
  "deno.lock",
  "src",
  "cli",
  "client",
  "audit",
  "tests",
  "tools",
  "bench",
  "docs",
];

/** Copies the program with its audit into an empty directory, and puts a bug into the copy, if one is given. */
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
  /** Whether the check or the tests have failed because of what they saw. */
  readonly isCaught: boolean;
  /** Whether they have passed. */
  readonly isFine: boolean;
  /** What they printed. */
  readonly output: string;
}

/**
 * Runs what must notice the bug, in the copy and with its code.
 * @param stores where the stores of a check lie meanwhile
 */
export async function runCatcher(
  catcher: Catcher,
  { copy, stores }: { readonly copy: string; readonly stores: string },
  seed: number,
): Promise<Catch> {
  // What a failed check leaves behind is of no use once it is known why.
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
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args,
    cwd: copy,
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  Deno.removeSync(directory, { recursive: true });
  const output = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
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

/** A check that had too little to look at, or tests that do not even start, have noticed nothing. */
function isFinding(catcher: Catcher, output: string): boolean {
  return "tests" in catcher
    ? /^FAILED \| \d+ passed/m.test(output) && !/\(uncaught error\)/.test(output)
    : /^FAILED /m.test(output) && !/too little was tried/.test(output);
}
