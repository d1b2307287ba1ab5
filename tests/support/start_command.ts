import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { executableName, type ProgramName, programTask, REPOSITORY } from "../../tools/build/program_task.ts";

/**
 * The command that starts a program: the executable in the directory that EVENTSTORE_DIST names, or else the command
 * of its task in deno.json. Append the program's own arguments.
 */
export function programCommand(program: ProgramName, umask?: string): [string, ...string[]] {
  const command = plainCommand(program);
  // `exec` keeps the process ID, so that signals reach the program itself.
  if (umask !== undefined) return ["sh", "-c", `umask ${umask} && exec "$@"`, "sh", ...command];
  return command;
}

/** The command that starts the server; `preload` is a module that runs before those of the server. */
export function startCommand(umask: string | undefined, preload?: URL): [string, ...string[]] {
  if (preload === undefined) return programCommand("server", umask);
  if (Deno.env.has("EVENTSTORE_DIST")) throw new Error("an executable preloads nothing");
  const { flags, entry } = programTask("server");
  const main = fileURLToPath(new URL(entry, REPOSITORY));
  return [Deno.execPath(), "run", "--preload", preload.href, ...flags, main];
}

function plainCommand(program: ProgramName): [string, ...string[]] {
  const dist = Deno.env.get("EVENTSTORE_DIST");
  if (dist !== undefined) return distCommand(resolve(fileURLToPath(REPOSITORY), dist), program);
  const { flags, entry } = programTask(program);
  return [Deno.execPath(), "run", ...flags, fileURLToPath(new URL(entry, REPOSITORY))];
}

/** Tests with an empty environment would have executables unpack themselves in the system's directories. */
function distCommand(dist: string, program: ProgramName): [string, ...string[]] {
  const script = 'export EVENTSTORE_CACHE_DIR="${EVENTSTORE_CACHE_DIR:-$0}" && exec "$@"';
  return ["sh", "-c", script, join(dist, ".cache"), join(dist, executableName(program))];
}
