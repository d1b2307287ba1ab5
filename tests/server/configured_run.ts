import assert from "node:assert/strict";
import { join } from "node:path";
import { inDirectory, namesIn } from "../support/directory.ts";
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
    const ended = await runServer({
      directory,
      listen: "none",
      args,
      env: { SERVICE_DATA_DIR: "data", ...env },
    });
    assert.deepEqual(namesIn(directory), before, "nothing was opened or made");
    return ended;
  });
}
