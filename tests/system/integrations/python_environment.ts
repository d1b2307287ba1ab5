import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Ended, runCommand } from "../../support/run_command.ts";

/** The adapter for Python, with its tests. */
export const ADAPTER = fileURLToPath(new URL("../../../integrations/python", import.meta.url));

const TIMEOUT_SECONDS = 240;

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

/** The versions of the library that the adapter supports. */
export type LibraryVersion = "9.5" | "10";

/**
 * A Python environment of its own. It has the adapter, installed from its folder, and all dependencies in the
 * versions that the files in its tests/requirements/ name, by hash.
 */
export class PythonEnvironment implements AsyncDisposable {
  /** Where the tests run: they see the installed adapter, not its folder. */
  readonly directory: string;
  readonly python: string;

  private constructor(directory: string) {
    this.directory = directory;
    this.python = join(directory, "venv/bin/python");
  }

  static async create(): Promise<PythonEnvironment> {
    const environment = new PythonEnvironment(await Deno.makeTempDir({ prefix: "eventstore_python_" }));
    try {
      await environment.#fill();
    } catch (error) {
      await environment[Symbol.asyncDispose]();
      throw error;
    }
    return environment;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.directory, { recursive: true });
  }

  /** Variables for a Python that takes the library in this version. */
  variables(library: LibraryVersion): Record<string, string> {
    const variables = { PYTHONDONTWRITEBYTECODE: "1", PYTHONWARNINGS: "ignore,default::ResourceWarning" };
    return library === "9.5" ? variables : { ...variables, PYTHONPATH: this.#library10 };
  }

  /** Runs Python to its end, and fails with what it printed. */
  async run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
    return await run(this.python, args, this.directory, env);
  }

  /** Runs Python to its end, however it ends. */
  async ended(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
    return await end(this.python, args, this.directory, env);
  }

  get #library10(): string {
    return join(this.directory, "eventsourcing_10");
  }

  async #fill(): Promise<void> {
    await run("python3", ["-m", "venv", join(this.directory, "venv")], this.directory);
    const pip = (...args: string[]): Promise<string> =>
      this.run(["-m", "pip", "--quiet", "--no-input", "--disable-pip-version-check", "install", ...args]);
    const named = (file: string): string[] => ["--requirement", join(ADAPTER, "tests/requirements", file)];
    const exact = ["--no-compile", "--require-hashes", "--no-deps", "--only-binary", ":all:"];
    await pip(...exact, ...["eventsourcing_9_5.txt", "tools.txt", "opentelemetry.txt"].flatMap(named));
    await Promise.all([
      pip(...exact, ...named("eventsourcing_10.txt"), "--target", this.#library10),
      pip("--no-deps", "--no-index", "--no-build-isolation", ADAPTER),
    ]);
    await Deno.symlink(join(ADAPTER, "tests"), join(this.directory, "tests"));
  }
}

async function run(...command: Parameters<typeof end>): Promise<string> {
  const { code, stdout, stderr } = await end(...command);
  const [program, args] = command;
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${code}\n${stdout}${stderr}`);
  return stdout + stderr;
}

async function end(
  program: string,
  args: readonly string[],
  directory: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const signal = AbortSignal.timeout(TIMEOUT_SECONDS * 1000);
  return await runCommand([program, ...args], { cwd: directory, env, signal });
}
