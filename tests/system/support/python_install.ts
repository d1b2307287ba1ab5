import { join } from "node:path";
import { run } from "./apt.ts";

/** The adapter needs Python 3.11. In Debian, making environments needs a package of its own. */
const CHECK = "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))";

/** The reason why this machine cannot make a Python environment, if there is one. */
export async function missingForPython(): Promise<string | undefined> {
  const missing = "there is no python3 of version 3.11 or later that makes environments (python3-venv)";
  try {
    const { success } = await new Deno.Command("python3", { args: ["-c", CHECK], stderr: "null" }).output();
    return success ? undefined : missing;
  } catch {
    return missing;
  }
}

/** The arguments of Python that install packages. */
export const PIP = ["-m", "pip", "--quiet", "--no-input", "--disable-pip-version-check", "install"];

/** Makes a Python environment with exactly the versions that lists name by hash. */
export async function makePython(directory: string, lists: readonly string[]): Promise<void> {
  await run("python3", ["-m", "venv", "--clear", directory]);
  await installExactly(directory, lists);
}

/** Installs exactly the versions that lists name by hash. @param options further options of pip */
export async function installExactly(
  directory: string,
  lists: readonly string[],
  ...options: string[]
): Promise<void> {
  const exact = ["--require-hashes", "--no-deps", "--only-binary", ":all:"];
  const named = lists.flatMap((list) => ["--requirement", list]);
  await run(join(directory, "bin/python"), [...PIP, ...exact, ...named, ...options]);
}
