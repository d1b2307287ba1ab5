import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type DebianProgram, debianTest } from "./debian_program.ts";
import { madeOnce } from "./made_once.ts";
import { type Need, needingTest } from "../../support/needing_test.ts";
import { makePython, missingForPython } from "./python_install.ts";

const need: Need = { missing: await missingForPython(), excused: true };

/** Registers a test that runs programs in Python. Not every python3 can make environments. */
export function pythonTest(name: string, test: () => Promise<void>): void {
  needingTest(name, need, test);
}

/** Registers a test that also starts programs of Debian. */
export async function pythonDebianTest<Name extends string>(
  programs: readonly Name[],
  name: string,
  test: (programs: Readonly<Record<Name, DebianProgram>>) => Promise<void>,
): Promise<void> {
  if (need.missing !== undefined) return pythonTest(name, () => Promise.resolve());
  await debianTest(programs, name, test);
}

/**
 * The path of a program in Python. It has an environment of its own, with the versions that a list names by hash. The
 * environment is made once, in the cache directory.
 * @param list a file in requirements/, without its ending
 */
export async function pythonProgram(list: string, name: string): Promise<string> {
  const requirements = fileURLToPath(new URL(`requirements/${list}.txt`, import.meta.url));
  const make = (directory: string): Promise<void> => makePython(directory, [requirements]);
  const directory = await madeOnce(`python-${list}`, [requirements], make);
  return join(directory, "bin", name);
}
