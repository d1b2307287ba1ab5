import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { VERSION } from "../../src/config/version.ts";
import { type Bundle, bundle, inOneModule } from "./bundle.ts";
import { compile, NoBaseError } from "./compiled.ts";
import { executableName, PROGRAM_NAMES, type ProgramName, programTask } from "./program_task.ts";
import { run } from "./run.ts";
import { runtimeFor } from "./runtime.ts";
import { part, selfExtracting } from "./self_extracting.ts";
import { isThisMachine, type Target, targetOf } from "./target.ts";

/*
 * Builds one executable file for each program: compiled, or where the base of `deno compile` is not available,
 * self-extracting. docs/executables.md
 */

interface Build {
  readonly target: Target;
  readonly directory: string;
  /** Where executables unpack themselves when they are tried. */
  readonly cache: string;
  readonly bundles: ReadonlyMap<ProgramName, Bundle>;
}

try {
  await main();
} catch (error) {
  say((error as Error).message);
  Deno.exit(1);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    args: Deno.args,
    options: {
      "target": { type: "string", default: Deno.build.target },
      "out": { type: "string", default: "dist" },
      "self-extracting": { type: "boolean", default: false },
    },
  });
  const target = targetOf(values.target);
  const directory = resolve(values.out);
  await Deno.mkdir(directory, { recursive: true });
  const bundles = new Map<ProgramName, Bundle>();
  for (const program of PROGRAM_NAMES) bundles.set(program, await bundle(programTask(program).entry));
  const cache = await Deno.makeTempDir({ prefix: "eventstore_build_" });
  try {
    const build: Build = { target, directory, cache, bundles };
    if (values["self-extracting"] || !await compileAll(build)) await extractAll(build);
  } finally {
    await Deno.remove(cache, { recursive: true });
  }
}

/** Returns false when the base for compiling is not available. */
async function compileAll(build: Build): Promise<boolean> {
  for (const [program, bundle] of build.bundles) {
    const path = join(build.directory, executableName(program));
    try {
      await compile(program, build.target, bundle, `${path}.new`);
    } catch (error) {
      if (!(error instanceof NoBaseError)) throw error;
      say(`${error.message}\nBuilding self-extracting executables instead.`);
      return false;
    }
    await finish(build, program, "compiled");
  }
  return true;
}

async function extractAll(build: Build): Promise<void> {
  const runtime = part("eventstore", await runtimeFor(build.target));
  for (const [program, bundle] of build.bundles) {
    const bytes = selfExtracting(program, build.target, runtime, inOneModule(bundle));
    await Deno.writeFile(join(build.directory, `${executableName(program)}.new`), bytes);
    await finish(build, program, "self-extracting");
  }
}

/** Gives a new executable its final name if it works: if built for this machine, it must print its version. */
async function finish({ directory, target, cache }: Build, program: ProgramName, way: string): Promise<void> {
  const path = join(directory, executableName(program));
  try {
    await Deno.chmod(`${path}.new`, 0o755);
    if (isThisMachine(target)) await assertVersion(program, `${path}.new`, cache);
    await Deno.rename(`${path}.new`, path);
  } catch (error) {
    await Deno.remove(`${path}.new`);
    throw error;
  }
  const megabytes = (Deno.statSync(path).size / 1e6).toFixed(1);
  say(`${way}: ${path} (${VERSION}, ${target.triple}, Deno ${Deno.version.deno}, ${megabytes} MB)`);
}

async function assertVersion(program: ProgramName, path: string, cache: string): Promise<void> {
  const expected = `${executableName(program)} ${VERSION}`;
  const printed = await run(path, ["--version"], { env: { EVENTSTORE_CACHE_DIR: cache } });
  if (printed === `${expected}\n`) return;
  throw new Error(
    `${path} is not ${expected}: --version prints ${JSON.stringify(printed)}. ` +
      `If DENORT_BIN is set: is that the denort of Deno ${Deno.version.deno}?`,
  );
}

function say(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
