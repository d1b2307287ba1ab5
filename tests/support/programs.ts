import { join } from "node:path";
import { programCommand } from "./start_command.ts";

/** Puts the programs into a directory under their names, for a shell. @returns the directory */
export async function makePrograms(directory: string): Promise<string> {
  for (const program of ["server", "init", "backup", "client"] as const) {
    const words = programCommand(program).map((word) => `'${word}'`).join(" ");
    const path = join(directory, `eventstore-${program}`);
    await Deno.writeTextFile(path, `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  }
  return directory;
}
