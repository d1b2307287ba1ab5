import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { executableName, PROGRAM_NAMES, programTask, REPOSITORY } from "../../../tools/build/program_task.ts";
import { run } from "../support/apt.ts";
import { explainDownload } from "../support/download.ts";
import type { ScratchRootOptions } from "./scratch_root.ts";
import { runDeno } from "../../support/run_command.ts";

const PLACE = "/opt/eventstore_stand_ins";

/** Executables to be packaged, and the files that they need. */
export interface Executables extends AsyncDisposable {
  readonly directory: string;
  readonly shared: ScratchRootOptions["shared"];
}

/**
 * The executables in the directory that EVENTSTORE_DIST names, or else scripts that run the sources with the
 * runtime of this test, both as a scratch root sees them.
 */
export async function packageableExecutables(): Promise<Executables> {
  const dist = Deno.env.get("EVENTSTORE_DIST");
  if (dist !== undefined) {
    return {
      directory: resolve(fileURLToPath(REPOSITORY), dist),
      shared: [],
      [Symbol.asyncDispose]: nothing,
    };
  }
  const directory = await Deno.makeTempDir({ prefix: "eventstore_dist_" });
  for (const program of PROGRAM_NAMES) {
    const path = join(directory, executableName(program));
    const { flags, entry } = programTask(program);
    const command = `${PLACE}/runtime/deno run --cached-only ${flags.join(" ")} ${PLACE}/repository/${entry}`;
    await Deno.writeTextFile(path, `#!/bin/sh\nDENO_DIR=${PLACE}/cache exec ${command} "$@"\n`);
    await Deno.chmod(path, 0o755);
  }
  return {
    directory,
    shared: [
      { from: dirname(await Deno.realPath(Deno.execPath())), to: `${PLACE}/runtime` },
      { from: fileURLToPath(REPOSITORY), to: `${PLACE}/repository` },
      { from: await cacheDirectory(), to: `${PLACE}/cache` },
    ],
    [Symbol.asyncDispose]: () => Deno.remove(directory, { recursive: true }),
  };
}

/** The executables that EVENTSTORE_DIST names, or else self-extracting ones, built for this test. */
export async function realExecutables(): Promise<Executables> {
  if (Deno.env.has("EVENTSTORE_DIST")) return await packageableExecutables();
  const directory = await Deno.makeTempDir({ prefix: "eventstore_dist_" });
  const args = ["task", "--quiet", "build", "--self-extracting", "--out", directory];
  await run(Deno.execPath(), args, { directory: fileURLToPath(REPOSITORY) })
    .catch(explainDownload("the bundler"));
  return {
    directory,
    shared: [],
    [Symbol.asyncDispose]: () => Deno.remove(directory, { recursive: true }),
  };
}

async function nothing(): Promise<void> {}

async function cacheDirectory(): Promise<string> {
  const { stdout } = await runDeno(["info", "--json"]);
  return (JSON.parse(stdout) as { denoDir: string }).denoDir;
}
