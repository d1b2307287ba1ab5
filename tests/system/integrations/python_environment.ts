import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Ended, runCommand } from "../../support/run_command.ts";
import { madeOnce } from "../support/made_once.ts";

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

/** The lists of all dependencies, in the adapter's tests/requirements/. Version 10 of the library is apart. */
const LISTS = ["eventsourcing_9_5.txt", "tools.txt", "opentelemetry.txt"];
const LIST_10 = "eventsourcing_10.txt";

const PIP = ["-m", "pip", "--quiet", "--no-input", "--disable-pip-version-check", "install"];

/**
 * Python with the adapter, installed from its folder, and all dependencies in the versions that the files in its
 * tests/requirements/ name, by hash. The dependencies are installed once, in the cache directory.
 */
export class PythonEnvironment implements AsyncDisposable {
  /** Where the tests run: they see the installed adapter, not its folder. */
  readonly directory: string;
  readonly python: string;
  readonly #library10: string;

  private constructor(directory: string, dependencies: string) {
    this.directory = directory;
    this.python = join(dependencies, "bin/python");
    this.#library10 = library10In(dependencies);
  }

  static async create(): Promise<PythonEnvironment> {
    const dependencies = await madeOnce(
      "python-eventsourcing",
      [...LISTS, LIST_10].map(pathOf),
      installDependencies,
    );
    const directory = await Deno.makeTempDir({ prefix: "eventstore_python_" });
    const environment = new PythonEnvironment(directory, dependencies);
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
    return {
      PYTHONDONTWRITEBYTECODE: "1",
      PYTHONWARNINGS: "ignore,default::ResourceWarning",
      PYTHONPATH: [this.#adapter, ...library === "9.5" ? [] : [this.#library10]].join(":"),
    };
  }

  /** Runs Python to its end, and fails with what it printed. */
  async run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
    return await run(this.python, args, this.directory, env);
  }

  /** Runs Python to its end, however it ends. */
  async ended(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
    return await end(this.python, args, this.directory, env);
  }

  get #adapter(): string {
    return join(this.directory, "adapter");
  }

  async #fill(): Promise<void> {
    const here = ["--no-deps", "--no-index", "--no-build-isolation", "--target", this.#adapter];
    await this.run([...PIP, ...here, ADAPTER]);
    await Deno.symlink(join(ADAPTER, "tests"), join(this.directory, "tests"));
  }
}

function pathOf(list: string): string {
  return join(ADAPTER, "tests/requirements", list);
}

/** Where version 10 of the library is, for Pythons that prefer it. */
function library10In(dependencies: string): string {
  return join(dependencies, "eventsourcing_10");
}

async function installDependencies(directory: string): Promise<void> {
  await run("python3", ["-m", "venv", "--clear", directory], ADAPTER);
  const exact = ["--require-hashes", "--no-deps", "--only-binary", ":all:"];
  const pip = (lists: readonly string[], ...args: string[]): Promise<string> => {
    const named = lists.flatMap((list) => ["--requirement", pathOf(list)]);
    return run(join(directory, "bin/python"), [...PIP, ...exact, ...named, ...args], ADAPTER);
  };
  await pip(LISTS);
  await pip([LIST_10], "--target", library10In(directory));
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
