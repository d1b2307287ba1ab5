import { type Ended, runDeno } from "../support/run_command.ts";

/** Runs `deno task package`. */
export function runPackageTask(args: readonly string[]): Promise<Ended> {
  return runDeno(["task", "--quiet", "package", ...args], { cwd: new URL("../../", import.meta.url) });
}
