import type { CommandLine, Program } from "../../cli/program.ts";
import { exitCodeOf } from "../../cli/run_program.ts";
import type { Ended } from "./run_command.ts";

/** The parts of a process that a program uses. */
interface ProcessParts {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** True when a program can run in this process: none runs here, and the tests are not for the executables. */
export function canRunHere(): boolean {
  return !isRunning && !Deno.env.has("EVENTSTORE_DIST");
}

let isRunning = false;

/**
 * Runs a program in the process of the test, which is ten times faster than to start it. The program has its own
 * arguments, variables, working directory and output, but not its own permissions, signals, input and memory.
 */
export async function runHere<P extends Program>(
  program: P,
  run: (line: CommandLine<P>) => Promise<number | undefined>,
  { args, env, cwd }: ProcessParts,
): Promise<Ended> {
  const output = { stdout: "", stderr: "" };
  const write = (to: keyof typeof output) => (bytes: Uint8Array): number => {
    output[to] += new TextDecoder().decode(bytes);
    return bytes.length;
  };
  const [writeOutput, writeError] = [write("stdout"), write("stderr")];
  const replaced = [
    replace(Deno.stdout, { writeSync: writeOutput, write: (bytes) => Promise.resolve(writeOutput(bytes)) }),
    replace(Deno.stdout, { isTerminal: () => false }),
    replace(Deno.stderr, { writeSync: writeError, isTerminal: () => false }),
    replace(Deno.env, { toObject: () => ({ ...env }), get: (name) => env[name] }),
    replace(Deno.permissions, { revokeSync: (what) => Deno.permissions.querySync(what) }),
    replace(Deno, { addSignalListener: () => {} }),
  ];
  const before = Deno.cwd();
  isRunning = true;
  try {
    Deno.chdir(cwd);
    return { code: await exitCodeOf(program, run, args) ?? 0, ...output };
  } finally {
    Deno.chdir(before);
    for (const restore of replaced) restore();
    isRunning = false;
  }
}

/** Replaces methods of an object. @returns a function that restores them */
function replace<T extends object>(object: T, methods: Partial<T>): () => void {
  const before = Object.getOwnPropertyDescriptors(object);
  for (const [name, value] of Object.entries(methods)) {
    Object.defineProperty(object, name, { value, configurable: true, writable: true });
  }
  return () => {
    for (const name of Object.keys(methods)) {
      if (name in before) Object.defineProperty(object, name, before[name as keyof T]!);
      else Reflect.deleteProperty(object, name);
    }
  };
}
