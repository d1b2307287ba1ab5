import { programCommand } from "../support/start_command.ts";

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the init program, with `directory` as its working directory. */
export async function runInit(
  directory: string,
  args: readonly string[],
  options: { readonly env?: Readonly<Record<string, string>>; readonly umask?: string } = {},
): Promise<Ended> {
  const [program, ...rest] = programCommand("init", options.umask);
  const output = await new Deno.Command(program, {
    args: [...rest, ...args],
    cwd: directory,
    env: { ...withoutSettings(), ...options.env },
    clearEnv: true,
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code: output.code, stdout: decoder.decode(output.stdout), stderr: decoder.decode(output.stderr) };
}

function withoutSettings(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(Deno.env.toObject()).filter(([name]) => !name.startsWith("SERVICE_")),
  );
}
