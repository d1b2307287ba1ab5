import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { executableName, type ProgramName, REPOSITORY } from "../../../tools/build/program_task.ts";
import { explainDownload } from "../support/download.ts";
import { type Ended, runCommand } from "../../support/run_command.ts";

/*
 * The executables, as the build makes them from a fresh copy of the repository, or those in the
 * directory that EVENTSTORE_DIST names.
 */

/** The parts of the repository that a build needs. */
const SOURCES = ["cli", "client", "explorer", "src", "tools", "main.ts", "deno.json", "deno.lock"];

/** All the tools on PATH that an executable may need. Node and Deno are not among them. */
const TOOLS = "chmod cksum env find gzip head id ls mkdir mktemp mv rm sed sh tail uname".split(" ");

export class Built {
  readonly directory: string;
  readonly dist: string;
  /** A directory for PATH. */
  readonly bin: string;
  /** A cache directory that the first start fills and all others share. */
  readonly cache: string;
  /** The output of the build; undefined when the executables were built elsewhere. */
  readonly buildOutput: string | undefined;
  readonly isSelfExtracting: boolean;
  readonly #given = Deno.env.get("EVENTSTORE_DIST");

  constructor() {
    this.directory = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "eventstore built " }));
    Deno.chmodSync(this.directory, 0o755);
    this.cache = join(this.directory, "cache");
    this.bin = join(this.directory, "bin");
    linkTools(this.bin);
    if (this.#given !== undefined) {
      this.dist = Deno.realPathSync(new URL(this.#given, REPOSITORY));
    } else {
      this.dist = join(this.directory, "a dist");
      try {
        this.buildOutput = build(join(this.directory, "a copy"), this.dist);
      } catch (error) {
        Deno.removeSync(this.directory, { recursive: true });
        explainDownload("the bundler")(error);
      }
    }
    this.isSelfExtracting = new TextDecoder().decode(firstBytes(this.path("server"))) === "#!/bin/sh";
    // The programs that start servers for tests look there.
    Deno.env.set("EVENTSTORE_DIST", this.dist);
  }

  dispose(): void {
    if (this.#given === undefined) Deno.env.delete("EVENTSTORE_DIST");
    Deno.removeSync(this.directory, { recursive: true });
  }

  path(program: ProgramName): string {
    return join(this.dist, executableName(program));
  }

  /** An environment with nothing in it but PATH and the shared cache. */
  get environment(): Readonly<Record<string, string>> {
    return { PATH: this.bin, EVENTSTORE_CACHE_DIR: this.cache };
  }

  makeDirectory(name: string, options: { readonly uid?: number } = {}): string {
    const path = join(this.directory, name);
    Deno.mkdirSync(path);
    if (options.uid !== undefined) Deno.chownSync(path, options.uid, options.uid);
    return path;
  }

  async run(
    program: ProgramName,
    args: readonly string[],
    options: {
      readonly env?: Readonly<Record<string, string>>;
      readonly cwd?: string;
      readonly uid?: number;
    } = {},
  ): Promise<Ended> {
    return await runCommand([this.path(program), ...args], {
      cwd: options.cwd ?? this.directory,
      env: { ...(options.env ?? this.environment) },
      clearEnv: true,
      ...options.uid === undefined ? {} : { uid: options.uid, gid: options.uid },
    });
  }
}

function build(copy: string, dist: string): string {
  Deno.mkdirSync(copy);
  const sources = SOURCES.map((name) => fileURLToPath(new URL(name, REPOSITORY)));
  const copied = new Deno.Command("cp", { args: ["-R", ...sources, copy] }).outputSync();
  if (!copied.success) throw new Error(new TextDecoder().decode(copied.stderr));
  const args = ["task", "--quiet", "build", "--self-extracting", "--out", dist];
  const output = new Deno.Command(Deno.execPath(), { args, cwd: copy, stdin: "null" }).outputSync();
  const printed = new TextDecoder().decode(output.stdout);
  if (!output.success) throw new Error(`${printed}\n${new TextDecoder().decode(output.stderr)}`);
  return printed;
}

function linkTools(bin: string): void {
  Deno.mkdirSync(bin);
  for (const tool of TOOLS) {
    const path = (Deno.env.get("PATH") ?? "").split(":").map((directory) => join(directory, tool)).find(
      exists,
    );
    if (path === undefined) throw new Error(`${tool} is not on PATH`);
    Deno.symlinkSync(path, join(bin, tool));
  }
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

function firstBytes(path: string): Uint8Array {
  using file = Deno.openSync(path);
  const bytes = new Uint8Array(9);
  file.readSync(bytes);
  return bytes;
}
