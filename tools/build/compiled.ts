import { join } from "node:path";
import { type Bundle, inModules } from "./bundle.ts";
import { executableName, type ProgramName, programTask } from "./program_task.ts";
import { CommandError, run } from "./run.ts";
import type { Target } from "./target.ts";

/** The base of every compiled executable, which the runtime downloads, is not available. */
export class NoBaseError extends Error {}

/** Builds an executable with `deno compile`. */
export async function compile(
  program: ProgramName,
  target: Target,
  bundle: Bundle,
  path: string,
): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "eventstore_build_" });
  try {
    const [main, ...workers] = [...inModules(`${executableName(program)}.js`, bundle)].map(([name, text]) => {
      Deno.writeTextFileSync(join(directory, name), text);
      // Its time is embedded, too: two builds must be identical.
      Deno.utimeSync(join(directory, name), 0, 0);
      return name;
    });
    await run(Deno.execPath(), [
      // A code cache would be a file in a temporary directory with a predictable name.
      ...["compile", "--no-config", "--no-lock", "--no-check", "--no-code-cache", "--target", target.triple],
      ...workers.flatMap((worker) => ["--include", worker]),
      ...["--app-name", executableName(program), "--output", path],
      ...programTask(program).flags,
      main!,
    ], { cwd: directory });
  } catch (error) {
    const baseMissing = error instanceof CommandError && error.stderr.includes("Setting up base binary");
    if (baseMissing && !Deno.env.has("DENORT_BIN")) throw new NoBaseError(missingBase(target));
    throw error;
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

function missingBase(target: Target): string {
  const base = `denort-${target.triple}`;
  return `deno compile needs ${base} of Deno ${Deno.version.deno}, which cannot be downloaded here. ` +
    `Fetch ${base}.zip of that release elsewhere, unpack it and set DENORT_BIN to the path of denort.`;
}
