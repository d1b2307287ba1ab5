import assert from "node:assert/strict";
import { join } from "node:path";
import { inDirectory, namesIn } from "../support/directory.ts";
import { run as runMain } from "../../main.ts";
import { serverProgram } from "../../cli/programs.ts";
import { canRunHere, runHere } from "../support/run_here.ts";
import { runServer } from "../support/server_process.ts";
import type { Ended } from "../support/run_command.ts";

/** Runs the server in a directory of its own with `config.toml` and these variables only. */
export function run(
  options: { config?: string; env?: Readonly<Record<string, string>>; args: readonly string[] },
): Promise<Ended> {
  return inDirectory(async (directory) => {
    const { config, env = {}, args } = options;
    if (config !== undefined) {
      Deno.writeTextFileSync(join(directory, "config.toml"), config, { mode: 0o600 });
    }
    const before = namesIn(directory);
    const ended = await runWithFlags(directory, args, { SERVICE_DATA_DIR: "data", ...env });
    assert.deepEqual(namesIn(directory), before, "nothing was opened or made");
    return ended;
  });
}

/** Runs the server in a directory: in this process if it has flags, with which it only prints. */
export async function runWithFlags(
  directory: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Ended> {
  if (args.length === 0 || !canRunHere()) {
    return await runServer({ directory, listen: "none", args, env });
  }
  return await runHere(serverProgram, runMain, { args, env, cwd: directory });
}
