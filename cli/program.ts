import { ConfigError } from "../src/config/config_error.ts";
import { type Flags, parseFlags } from "../src/config/flags.ts";
import { helpText } from "../src/config/help.ts";
import { defaultConfigText } from "../src/config/print.ts";
import type { Program } from "../src/config/programs.ts";
import { VERSION } from "../src/config/version.ts";

/** Exit codes of all programs. */
export const ExitCode = { ok: 0, failure: 1, badConfiguration: 2 } as const;

/** Writes text to standard output, whole, before the program goes on. */
export function print(text: string): void {
  writeAll(Deno.stdout, text);
}

/** Writes a line to standard error, with the name of the program in front. */
export function printError(program: Program, line: string): void {
  writeAll(Deno.stderr, `${program.name}: ${line}\n`);
}

/** The environment variables of the settings. */
export function environment(name: string): string | undefined {
  return Deno.env.get(name);
}

/**
 * What all programs do alike: flags, `--help`, `--version`, `--default-config`, and one line on standard
 * error for each problem. Ends the process with the code that `run` returns, or keeps it running when that
 * is undefined.
 */
export async function runProgram(
  program: Program,
  run: (flags: Flags) => Promise<number | undefined>,
): Promise<void> {
  const code = await exitCodeOf(program, run);
  if (code !== undefined) Deno.exit(code);
}

async function exitCodeOf(
  program: Program,
  run: (flags: Flags) => Promise<number | undefined>,
): Promise<number | undefined> {
  const parsed = parseFlags(program, Deno.args);
  if ("problems" in parsed) {
    for (const problem of parsed.problems) printError(program, problem);
    return ExitCode.badConfiguration;
  }
  const { flags } = parsed;
  if (flags.help) return print(helpText(program, flags.verb)), ExitCode.ok;
  if (flags.version) return print(`${program.name} ${VERSION}\n`), ExitCode.ok;
  if (flags.defaultConfig) return print(defaultConfigText()), ExitCode.ok;
  try {
    return await run(flags);
  } catch (error) {
    if (error instanceof ConfigError) {
      for (const problem of error.problems) printError(program, problem);
      return ExitCode.badConfiguration;
    }
    printError(program, (error as Error).message);
    return ExitCode.failure;
  }
}

function writeAll(output: { writeSync(bytes: Uint8Array): number }, text: string): void {
  const bytes = new TextEncoder().encode(text);
  try {
    for (let written = 0; written < bytes.length;) written += output.writeSync(bytes.subarray(written));
  } catch (error) {
    if (!(error instanceof Deno.errors.WouldBlock)) throw error;
    // The runtime has written a part by then and doesn't tell how much, so another attempt would repeat some.
    throw new Error('the output does not wait for its reader (a non-blocking pipe): put "| cat" in between');
  }
}
