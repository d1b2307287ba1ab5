import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Ended, runCommand } from "../../support/run_command.ts";
import { madeOnce } from "../support/made_once.ts";
import { installExactly, makePython, PIP } from "../support/python_install.ts";

/** The adapter for Python, with its tests. */
export const ADAPTER = fileURLToPath(new URL("../../../integrations/python", import.meta.url));

const TIMEOUT_SECONDS = 240;

/** The versions of the library that the adapter supports. */
export type LibraryVersion = "9.5" | "10";

/** The lists of all dependencies, in the adapter's tests/requirements/. Version 10 of the library is apart. */
const LISTS = ["eventsourcing_9_5.txt", "tools.txt", "opentelemetry.txt"];
const LIST_10 = "eventsourcing_10.txt";

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
    const { code, stdout, stderr } = await this.ended(args, env);
    if (code !== 0) throw new Error(`python ${args.join(" ")} ended with ${code}\n${stdout}${stderr}`);
    return stdout + stderr;
  }

  /** Runs Python to its end, however it ends. */
  async ended(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
    const signal = AbortSignal.timeout(TIMEOUT_SECONDS * 1000);
    return await runCommand([this.python, ...args], { cwd: this.directory, env, signal });
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
  await makePython(directory, LISTS.map(pathOf));
  await installExactly(directory, [pathOf(LIST_10)], "--target", library10In(directory));
}
