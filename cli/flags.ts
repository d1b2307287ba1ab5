import { parseArgs } from "node:util";
import { didYouMean, suggest } from "../src/config/suggest.ts";
import type { CommandLine, Flag, Program, Verb } from "./program.ts";

/** The flags that were given, by name, with their values. */
type Given = ReadonlyMap<string, string | undefined>;

/** Reads the arguments of a program, or gives one line for each that is wrong. */
export function parseFlags<P extends Program>(
  program: P,
  args: readonly string[],
): { line: CommandLine<P> } | { problems: string[] } {
  const tokens = tokensOf(program, args);
  // A verb may follow flags; what does not look like one is named below.
  const verbToken = program.verbs.length === 0
    ? undefined
    : tokens.find((token) => token.kind === "positional");
  const verb = program.verbs.find(({ name }) => name === verbToken?.value);
  if (verbToken !== undefined && verb === undefined) {
    return { problems: [unknownVerb(program, verbToken.value)] };
  }

  const flags = verb?.flags ?? program.flags;
  const given = new Map<string, string | undefined>();
  const problems: string[] = [];
  let argument: string | undefined;
  for (const token of tokens) {
    if (token.kind === "positional" && token !== verbToken) {
      if (argument === undefined && verb?.argument !== undefined && token.value) argument = token.value;
      else problems.push(`unexpected argument ${JSON.stringify(token.value)}`);
    }
    if (token.kind !== "option") continue;
    const flag = flags.find(({ name }) => token.rawName === `--${name}`);
    const problem = flag === undefined
      ? unknownFlag(program, verb, token.rawName)
      : faultOf(flag, token, given);
    if (problem !== undefined) problems.push(problem);
    else if (flag !== undefined) given.set(flag.name, token.value);
  }
  if (problems.length === 0 && !given.has("help")) problems.push(...missingFlags(flags, given));
  if (problems.length > 0) return { problems };
  const line = { verb: verb?.name, argument, options: optionsOf(flags, given) };
  // The program's declaration says which options exist; here they were looked up in it.
  return { line: line as CommandLine<Program> as CommandLine<P> };
}

type OptionToken = Extract<ReturnType<typeof tokensOf>[number], { kind: "option" }>;

/** A flag takes a value in all verbs or in none, so the arguments are split before the verb is known. */
function tokensOf(program: Program, args: readonly string[]) {
  const flags = [program, ...program.verbs].flatMap((command) => command.flags);
  const options = Object.fromEntries(
    flags.map(({ name, value }) => [name, { type: value === undefined ? "boolean" : "string" } as const]),
  );
  // Strict parsing would stop at the first problem, and with different wording.
  const parsed = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  return parsed.tokens;
}

function faultOf({ name, value }: Flag, token: OptionToken, given: Given): string | undefined {
  if (given.has(name)) return `--${name} is given twice`;
  if (value === undefined) return token.value === undefined ? undefined : `--${name} takes no value`;
  // `--config --help` forgot the path; a path that does start with a dash can be given as `--config=-path`. A
  // dash alone is standard input.
  const isFlag = token.value?.startsWith("-") && token.value !== "-" && token.inlineValue !== true;
  return !token.value || isFlag ? `--${name} needs a value: --${name} <${value}>` : undefined;
}

function missingFlags(flags: readonly Flag[], given: Given): string[] {
  return flags.filter(({ name, required }) => required && !given.has(name))
    .map(({ name, value }) => `--${name} is missing: --${name} <${value}>`);
}

function unknownVerb(program: Program, value: string): string {
  const near = suggest(value, program.verbs.map(({ name }) => name));
  return `unknown verb ${JSON.stringify(value)}${didYouMean(near)}`;
}

function unknownFlag(program: Program, verb: Verb | undefined, rawName: string): string {
  const own = (verb ?? program).flags;
  const line = `unknown flag ${JSON.stringify(rawName)}${verb === undefined ? "" : ` of ${verb.name}`}`;
  const homes = program.verbs.filter(({ flags }) => flags.some(({ name }) => rawName === `--${name}`));
  if (homes.length > 0) return `${line}; it belongs to ${homes.map(({ name }) => name).join(" or ")}`;
  return line + didYouMean(suggest(rawName, own.map(({ name }) => `--${name}`)));
}

function optionsOf(flags: readonly Flag[], given: Given): Record<string, string | boolean | undefined> {
  return Object.fromEntries(flags.map(({ name, value }) => [
    name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
    value === undefined ? given.has(name) : given.get(name),
  ]));
}
