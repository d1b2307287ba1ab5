import { serverProgram } from "../cli/programs.ts";
import { runProgram } from "../cli/run_program.ts";
import { run } from "../main.ts";

/*
 * Starts the server for development: `deno task dev`. These are only defaults, so variables of the caller win.
 */

const DEFAULTS: Readonly<Record<string, string>> = {
  SERVICE_EDITION: "A",
  SERVICE_BIND_ADDRESS: "127.0.0.1",
  SERVICE_PORT: "8085",
  SERVICE_DEV_MODE: "true",
  SERVICE_DATA_DIR: "data",
  SERVICE_LOG_LEVEL: "debug",
  SERVICE_LOG_REASONS: "true",
};

for (const [name, value] of Object.entries(DEFAULTS)) {
  if (!Deno.env.has(name)) Deno.env.set(name, value);
}

await runProgram(serverProgram, run);
