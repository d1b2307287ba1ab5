/** A command that ended with a code other than 0. */
export class CommandError extends Error {
  readonly stderr: string;

  constructor(command: string, code: number, stderr: string) {
    super(`${command} ended with ${code}\n${stderr.trimEnd()}`);
    this.stderr = stderr;
  }
}

/** Runs a command to its end and returns what it printed to standard output. */
export async function run(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  const output = await new Deno.Command(program, {
    args: [...args],
    ...options,
    env: options.env ?? environment(),
    clearEnv: true,
    stdin: "null",
  }).output();
  const stderr = new TextDecoder().decode(output.stderr);
  if (!output.success) throw new CommandError([program, ...args].join(" "), output.code, stderr);
  return new TextDecoder().decode(output.stdout);
}

/** Settings of the runtime for downloads. The others are left out, because they may change the build. */
const DOWNLOAD_SETTINGS = ["DENO_DIR", "DENO_TLS_CA_STORE"];

function environment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(Deno.env.toObject()).filter(([name]) =>
      !name.startsWith("DENO_") || DOWNLOAD_SETTINGS.includes(name)
    ),
  );
}
