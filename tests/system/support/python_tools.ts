import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "./apt.ts";

/**
 * Makes a Python environment in a directory, with the packages that a file names in exact versions.
 * @returns the folder of its programs
 */
export async function installPythonTools(directory: string, requirements: URL): Promise<string> {
  const environment = join(directory, "python");
  await run("python3", ["-m", "venv", environment]);
  const programs = join(environment, "bin");
  const quiet = ["--quiet", "--no-input", "--disable-pip-version-check"];
  const exact = ["--no-compile", "--no-deps", "--only-binary", ":all:", "--requirement"];
  await run(join(programs, "python"), [
    "-m",
    "pip",
    ...quiet,
    "install",
    ...exact,
    fileURLToPath(requirements),
  ]);
  return programs;
}
