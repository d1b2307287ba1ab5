/** The exit code and the output of a program. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface CommandOptions
  extends Pick<Deno.CommandOptions, "cwd" | "env" | "clearEnv" | "uid" | "gid" | "signal"> {
  /** The content of standard input; empty when omitted. */
  readonly stdin?: string | undefined;
}

/** Runs a command to its end. Only a cleared environment permits colours. */
export async function runCommand(
  command: readonly string[],
  { stdin, ...options }: CommandOptions = {},
): Promise<Ended> {
  const [program, ...args] = command;
  const env = options.clearEnv ? { ...options.env } : { NO_COLOR: "1", ...options.env };
  const input = stdin === undefined ? "null" : "piped";
  const piped = { stdin: input, stdout: "piped", stderr: "piped" } as const;
  const child = new Deno.Command(program!, { ...options, args, env, ...piped }).spawn();
  // It may end before it has read everything.
  const writing = stdin === undefined ? undefined : new Blob([stdin]).stream().pipeTo(child.stdin);
  const [ended] = await Promise.all([child.output(), writing?.catch(() => {})]);
  const decoder = new TextDecoder();
  return { code: ended.code, stdout: decoder.decode(ended.stdout), stderr: decoder.decode(ended.stderr) };
}

/** The same for a command of the runtime. */
export function runDeno(args: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  return runCommand([Deno.execPath(), ...args], options);
}
