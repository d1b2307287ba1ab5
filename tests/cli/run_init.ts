import { join } from "node:path";
import { fileURLToPath } from "node:url";

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the init program the way deno.json's task does, with `directory` as its working directory. */
export async function runInit(
  directory: string,
  args: readonly string[],
  options: { readonly env?: Readonly<Record<string, string>>; readonly umask?: string } = {},
): Promise<Ended> {
  const [program, ...rest] = initCommand();
  const script = `umask ${options.umask ?? "022"} && exec "$@"`;
  const output = await new Deno.Command("sh", {
    args: ["-c", script, "sh", program, ...rest, ...args],
    cwd: directory,
    env: { ...withoutSettings(), ...options.env },
    clearEnv: true,
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code: output.code, stdout: decoder.decode(output.stdout), stderr: decoder.decode(output.stderr) };
}

function initCommand(): [string, ...string[]] {
  const file = JSON.parse(Deno.readTextFileSync(join(REPOSITORY, "deno.json"))) as {
    tasks: { init: { command: string } };
  };
  const [program, ...args] = file.tasks.init.command.split(" ");
  if (program !== "deno" || args.at(-1) !== "cli/init.ts") {
    throw new Error(`the init task is not a plain "deno run ... cli/init.ts": ${file.tasks.init.command}`);
  }
  return [Deno.execPath(), ...args.slice(0, -1), join(REPOSITORY, "cli/init.ts")];
}

function withoutSettings(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(Deno.env.toObject()).filter(([name]) => !name.startsWith("SERVICE_")),
  );
}
