/*
 * The programs' command lines are the tasks in deno.json. Their flags are read from there, so that a program's
 * permissions are written down in one place.
 */

/** The programs, and the task that runs each from its source. */
const TASKS = { server: "start", init: "init", backup: "backup", client: "shell" } as const;

export type ProgramName = keyof typeof TASKS;

export const PROGRAM_NAMES = Object.keys(TASKS) as ProgramName[];

export interface ProgramTask {
  /** Flags of `deno run`, permissions among them. */
  readonly flags: readonly string[];
  /** The program's own file, from the root of the repository. */
  readonly entry: string;
}

export const REPOSITORY: URL = new URL("../../", import.meta.url);

export function executableName(program: ProgramName): string {
  return `eventstore-${program}`;
}

export function programTask(program: ProgramName): ProgramTask {
  const { tasks } = JSON.parse(Deno.readTextFileSync(new URL("deno.json", REPOSITORY))) as {
    readonly tasks: Readonly<Record<string, { readonly command: string }>>;
  };
  const command = tasks[TASKS[program]]?.command ?? "";
  const [deno, run, ...rest] = command.split(" ");
  const entry = rest.pop();
  if (deno !== "deno" || run !== "run" || entry === undefined || /["'$\\]/.test(command)) {
    throw new Error(`the task ${TASKS[program]} is not a plain "deno run FLAGS FILE": ${command}`);
  }
  return { flags: rest, entry };
}
