import { parseArgs } from "node:util";
import { settingsHelp } from "./print.ts";
import type { Flag, FlagName, Program } from "./programs.ts";
import { suggest } from "./suggest.ts";

/** The flags that were given. A program without a flag has it off, or undefined. */
export interface Flags {
  readonly config: string | undefined;
  readonly dataDir: string | undefined;
  readonly checkConfig: boolean;
  readonly printConfig: boolean;
  readonly defaultConfig: boolean;
  readonly version: boolean;
  readonly help: boolean;
}

/** Reads the arguments of a program, or gives one line for each that is wrong. */
export function parseFlags(
  program: Program,
  args: readonly string[],
): { flags: Flags } | { problems: string[] } {
  const options = Object.fromEntries(
    program.flags.map((
      { name, value },
    ) => [name, { type: value === undefined ? "boolean" as const : "string" as const }]),
  );
  // Strict parsing would stop at the first problem, and with another wording.
  const { tokens } = parseArgs({
    args: [...args],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given = new Map<FlagName, string | undefined>();
  const problems: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") problems.push(`unexpected argument ${JSON.stringify(token.value)}`);
    if (token.kind !== "option") continue;
    const flag = program.flags.find(({ name }) => token.rawName === `--${name}`);
    const problem = flag === undefined ? unknownFlag(program, token.rawName) : faultOf(flag, token, given);
    if (problem !== undefined) problems.push(problem);
    else if (flag !== undefined) given.set(flag.name, token.value);
  }
  return problems.length > 0 ? { problems } : { flags: toFlags(given) };
}

function faultOf(
  flag: Flag,
  token: { readonly value?: string | undefined; readonly inlineValue?: boolean | undefined },
  given: ReadonlyMap<FlagName, string | undefined>,
): string | undefined {
  const { name, value } = flag;
  if (given.has(name)) return `--${name} is given twice`;
  if (value === undefined) return token.value === undefined ? undefined : `--${name} takes no value`;
  // `--config --help` forgot the path; a path that does start with a dash can be given as `--config=-path`.
  const isMissing = !token.value || (token.value.startsWith("-") && token.inlineValue !== true);
  return isMissing ? `--${name} needs a value: --${name} <${value}>` : undefined;
}

function unknownFlag(program: Program, rawName: string): string {
  const near = suggest(rawName, program.flags.map(({ name }) => `--${name}`));
  return `unknown flag ${JSON.stringify(rawName)}${near === undefined ? "" : `, did you mean ${near}?`}`;
}

function toFlags(given: ReadonlyMap<FlagName, string | undefined>): Flags {
  return {
    config: given.get("config"),
    dataDir: given.get("data-dir"),
    checkConfig: given.has("check-config"),
    printConfig: given.has("print-config"),
    defaultConfig: given.has("default-config"),
    version: given.has("version"),
    help: given.has("help"),
  };
}

/** The text of `--help`: usage, flags, and the settings that the program reads. */
export function helpText(program: Program): string {
  const names = program.flags.map(({ name, value }) =>
    `--${name}${value === undefined ? "" : ` <${value}>`}`
  );
  const width = Math.max(...names.map((name) => name.length));
  const flags = program.flags.map(({ help }, n) => `  ${names[n]!.padEnd(width)}  ${help}\n`);
  return `${program.name}: ${program.summary}

Usage: ${program.name} [flags]

Flags:
${flags.join("")}
Settings in [${program.section}] of the file. A value in the file wins over the variable, which wins over the default.

${settingsHelp(program.section, program.keys)}`;
}
