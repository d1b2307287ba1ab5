import type { CommandLine, Program } from "../../cli/program.ts";
import { exitCodeOf } from "../../cli/run_program.ts";
import type { Ended } from "./run_command.ts";

/** The parts of a process that a program uses. */
interface ProcessParts {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/**
 * True when a program can run in this process: none runs here, and the tests are neither for the executables nor long
 * ones, in which every program has the permissions of its task.
 */
export function canRunHere(): boolean {
  return !isRunning && !Deno.env.has("EVENTSTORE_DIST") && Deno.env.get("EVENTSTORE_LONG_TESTS") !== "1";
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
  using restored = new DisposableStack();
  const before = Deno.cwd();
  restored.defer(() => {
    Deno.chdir(before);
    isRunning = false;
  });
  isRunning = true;
  const during = <T extends object>(object: T, methods: Partial<T>): void =>
    restored.defer(replace(object, methods));
  during(Deno.stdout, {
    writeSync: writeOutput,
    write: (bytes) => Promise.resolve(writeOutput(bytes)),
    isTerminal: () => false,
  });
  during(Deno.stderr, { writeSync: writeError, isTerminal: () => false });
  during(Deno.env, { toObject: () => ({ ...env }), get: (name) => env[name] });
  during(Deno.permissions, { revokeSync: (what) => Deno.permissions.querySync(what) });
  during(Deno, { addSignalListener: () => {} });
  Deno.chdir(cwd);
  return { code: await exitCodeOf(program, run, args) ?? 0, ...output };
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
