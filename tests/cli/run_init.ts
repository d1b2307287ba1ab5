import { run } from "../../cli/init.ts";
import { initProgram } from "../../cli/programs.ts";
import type { Ended } from "../support/run_command.ts";
import { canRunHere, runHere } from "../support/run_here.ts";
import { programCommand } from "../support/start_command.ts";

export type { Ended };

interface InitRun {
  readonly env?: Readonly<Record<string, string>>;
  readonly umask?: string;
  /** The content of standard input. */
  readonly stdin?: string;
}

/** Runs the init program in `directory`: in this process, unless an option needs a process of its own. */
export async function runInit(
  directory: string,
  args: readonly string[],
  { env, umask, stdin }: InitRun = {},
): Promise<Ended> {
  if (umask === undefined && stdin === undefined && canRunHere()) {
    return await runHere(initProgram, run, { args, cwd: directory, env: { ...withoutSettings(), ...env } });
  }
  const [program, ...rest] = programCommand("init", umask);
  const child = new Deno.Command(program, {
    args: [...rest, ...args],
    cwd: directory,
    env: { ...withoutSettings(), ...env },
    clearEnv: true,
    stdin: stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  // It may end before it has read everything.
  const writing = stdin === undefined
    ? undefined
    : new Blob([stdin]).stream().pipeTo(child.stdin).catch(() => {});
  const output = await child.output();
  await writing;
  const decoder = new TextDecoder();
  return { code: output.code, stdout: decoder.decode(output.stdout), stderr: decoder.decode(output.stderr) };
}

function withoutSettings(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(Deno.env.toObject()).filter(([name]) => !name.startsWith("SERVICE_")),
  );
}
