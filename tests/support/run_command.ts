/** The exit code and the output of a program. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

type CommandOptions = Pick<Deno.CommandOptions, "cwd" | "env" | "clearEnv" | "uid" | "gid" | "signal">;

/** Runs a command to its end, without input. Only a cleared environment permits colours. */
export async function runCommand(command: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  const [program, ...args] = command;
  const env = options.clearEnv ? { ...options.env } : { NO_COLOR: "1", ...options.env };
  const ended = await new Deno.Command(program!, { ...options, args, env, stdin: "null" }).output();
  const decoder = new TextDecoder();
  return { code: ended.code, stdout: decoder.decode(ended.stdout), stderr: decoder.decode(ended.stderr) };
}

/** The same for a command of the runtime. */
export function runDeno(args: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  return runCommand([Deno.execPath(), ...args], options);
}
