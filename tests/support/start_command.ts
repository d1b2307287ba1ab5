import { join } from "node:path";
import { fileURLToPath } from "node:url";

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));

/** The command of deno.json's `start` task, or the executable that EVENTSTORE_SERVER names. */
export function startCommand(umask: string | undefined): [string, ...string[]] {
  const executable = Deno.env.get("EVENTSTORE_SERVER");
  const command: [string, ...string[]] = executable === undefined ? startTask() : [executable];
  // `exec` keeps the process ID, so that signals reach the program itself.
  if (umask !== undefined) return ["sh", "-c", `umask ${umask} && exec "$@"`, "sh", ...command];
  return command;
}

function startTask(): [string, ...string[]] {
  const file = JSON.parse(Deno.readTextFileSync(join(REPOSITORY, "deno.json"))) as {
    tasks: { start: { command: string } };
  };
  const [program, ...args] = file.tasks.start.command.split(" ");
  if (program !== "deno" || args.at(-1) !== "main.ts") {
    throw new Error(`the start task is not a plain "deno run ... main.ts": ${file.tasks.start.command}`);
  }
  return [Deno.execPath(), ...args.slice(0, -1), join(REPOSITORY, "main.ts")];
}
