import { run } from "../../cli/init.ts";
import { initProgram } from "../../cli/programs.ts";
import { type Ended, runCommand } from "../support/run_command.ts";
import { canRunHere, runHere } from "../support/run_here.ts";
import { programCommand } from "../support/start_command.ts";

interface InitRun {
  readonly env?: Readonly<Record<string, string>>;
  readonly umask?: string;
  /** The content of standard input. */
  readonly stdin?: string;
  /** True for a process of its own. */
  readonly isProcess?: boolean;
}

/** Runs the init program in `directory`: in this process, unless an option needs a process of its own. */
export async function runInit(
  directory: string,
  args: readonly string[],
  { env, umask, stdin, isProcess = false }: InitRun = {},
): Promise<Ended> {
  const variables = { ...withoutSettings(), ...env };
  if (!isProcess && umask === undefined && stdin === undefined && canRunHere()) {
    return await runHere(initProgram, run, { args, cwd: directory, env: variables });
  }
  const command = [...programCommand("init", umask), ...args];
  return await runCommand(command, { cwd: directory, env: variables, clearEnv: true, stdin });
}

function withoutSettings(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(Deno.env.toObject()).filter(([name]) => !name.startsWith("SERVICE_")),
  );
}
