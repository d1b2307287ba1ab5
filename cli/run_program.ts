import { ConfigError, UsageError } from "../src/config/config_error.ts";
import type { Loaded, LoadFrom } from "../src/config/load.ts";
import { defaultConfigText } from "../src/config/print.ts";
import { VERSION } from "../src/config/version.ts";
import { lineStart } from "../src/log/line_output.ts";
import { helpCommand, parseFlags } from "./flags.ts";
import { helpText } from "./help.ts";
import type { CommandLine, Program } from "./program.ts";

/** Exit codes of all programs. */
export const ExitCode = { ok: 0, failure: 1, badConfiguration: 2 } as const;

type Environment = Required<Pick<LoadFrom, "env" | "variables">>;

/**
 * Returns the variables that look like settings. To see their names, a program needs access to the whole environment,
 * and it drops that permission at once, so this works once.
 */
function settingsInEnvironment(): Environment {
  const all = Object.entries(Deno.env.toObject()).filter(([name]) => name.startsWith("SERVICE_"));
  Deno.permissions.revokeSync({ name: "env" });
  const values = new Map(all);
  return { env: (name) => values.get(name), variables: [...values.keys()] };
}

/** Writes all of a text to standard output before the program continues. @throws Error that names standard output */
export function print(text: string): void {
  try {
    writeAll(Deno.stdout, text);
  } catch (error) {
    throw outputError(error as Error);
  }
}

/** Does the same for a program that must receive signals and network data while the reader of its output is slow. */
export async function printAsync(text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  try {
    for (let written = 0; written < bytes.length;) {
      written += await Deno.stdout.write(bytes.subarray(written));
    }
  } catch (error) {
    throw outputError(error as Error);
  }
}

/**
 * Writes a line to standard error, prefixed with the program's name, and with the time in UTC before it if wanted. A
 * failure to write does not change how the program ends.
 */
export function printError(program: Program, line: string, hasTime = false): void {
  try {
    writeAll(Deno.stderr, `${lineStart(program.name, hasTime)}${line}\n`);
  } catch {
    // No channel for messages is left.
  }
}

/** Settings that were loaded, and a function that reads the files again. */
export type Reloadable<T> = Loaded<T> & { readonly reload: () => Loaded<T> };

/** Returns the result of `load`, which reads the file and the environment. Prints its warnings. */
export function loadSettings<T>(
  program: Program,
  configPath: string | undefined,
  load: (from: LoadFrom) => Loaded<T>,
): Reloadable<T> {
  const from = { configPath, ...settingsInEnvironment() };
  const loaded = load(from);
  printWarnings(program, loaded.warnings);
  return { ...loaded, reload: () => load(from) };
}

/**
 * Checks the settings that `load` reads from the file and the environment, and the sections of other programs, too.
 * Opens only the file.
 * @returns the exit code
 */
export function checkConfig<T>(
  program: Program,
  configPath: string | undefined,
  load: (from: LoadFrom) => Loaded<T>,
): number {
  const { file, warnings } = load({ configPath, ...settingsInEnvironment(), isWhole: true });
  printWarnings(program, warnings);
  const where = file === undefined ? "there is no configuration file" : `${file} was read`;
  print(`${program.name}: ${where}; the configuration is valid\n`);
  return ExitCode.ok;
}

function printWarnings(program: Program, warnings: readonly string[]): void {
  for (const warning of warnings) printError(program, `warning: ${warning}`);
}

/**
 * Runs a program, with the parts that all programs share: flags, `--help`, `--version`, `--default-config`, and one
 * line on standard error for each problem. Ends the process with the code that `run` returns, or keeps it running when
 * that is undefined.
 */
export async function runProgram<P extends Program>(
  program: P,
  run: (line: CommandLine<P>) => Promise<number | undefined>,
): Promise<void> {
  // With a limit on file sizes (`ulimit -f`), a write fails, instead of ending the process without a message.
  Deno.addSignalListener("SIGXFSZ", () => {});
  const code = await exitCodeOf(program, run, Deno.args);
  if (code !== undefined) Deno.exit(code);
}

/** Does all of `runProgram` but end the process. */
export async function exitCodeOf<P extends Program>(
  program: P,
  run: (line: CommandLine<P>) => Promise<number | undefined>,
  args: readonly string[],
): Promise<number | undefined> {
  const parsed = parseFlags(program, args);
  if ("problems" in parsed) {
    return printProblems(program, parsed.problems, parsed.help);
  }
  const { verb, options }: CommandLine<Program> = parsed.line;
  try {
    if (options["help"]) return print(helpText(program, verb)), ExitCode.ok;
    if (options["version"]) return print(`${program.name} ${VERSION}\n`), ExitCode.ok;
    if (options["defaultConfig"]) return print(defaultConfigText()), ExitCode.ok;
    return await run(parsed.line);
  } catch (error) {
    if (error instanceof ConfigError) {
      const help = error instanceof UsageError ? helpCommand(program, verb) : undefined;
      return printProblems(program, error.problems, help);
    }
    printError(program, (error as Error).message);
    return ExitCode.failure;
  }
}

/** Prints one line for each problem. The last one ends with the command for help, if there is one. */
function printProblems(program: Program, problems: readonly string[], help: string | undefined): number {
  for (const [i, problem] of problems.entries()) {
    const isLast = i === problems.length - 1;
    printError(program, isLast && help !== undefined ? `${problem} (help: ${help})` : problem);
  }
  return ExitCode.badConfiguration;
}

/**
 * The first SIGTERM, SIGINT or SIGHUP stops the program gracefully, the second ends it at once.
 * @param reload what SIGHUP does instead
 */
export function onFirstSignal(stop: (signal: Deno.Signal) => void, reload?: () => void): void {
  let isStopping = false;
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    Deno.addSignalListener(signal, () => {
      if (signal === "SIGHUP" && reload !== undefined) return reload();
      if (isStopping) Deno.exit(ExitCode.failure);
      isStopping = true;
      stop(signal);
    });
  }
}

function writeAll(output: { writeSync(bytes: Uint8Array): number }, text: string): void {
  const bytes = new TextEncoder().encode(text);
  for (let written = 0; written < bytes.length;) written += output.writeSync(bytes.subarray(written));
}

/**
 * Adds to the message that standard output has failed. The error keeps its class, which shows when the reader has
 * closed the output.
 */
function outputError(error: Error): Error {
  if (error instanceof Deno.errors.WouldBlock) {
    // By then the runtime has written a part and does not report how much. Another attempt would repeat some of it.
    return new Error('the output does not wait for its reader (a non-blocking pipe): put "| cat" in between');
  }
  error.message = `standard output cannot be written: ${error.message}`;
  return error;
}
