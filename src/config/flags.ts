import { parseArgs } from "node:util";
import type { Flag, FlagName, Program, Verb, VerbName } from "./programs.ts";
import { suggest } from "./suggest.ts";

/** The verb and the flags that were given. What a program doesn't have is off, or undefined. */
export interface Flags {
  readonly verb: VerbName | undefined;
  /** What was given beside flags, for a verb that takes it. */
  readonly argument: string | undefined;
  readonly config: string | undefined;
  readonly dataDir: string | undefined;
  readonly import: string | undefined;
  readonly checkConfig: boolean;
  readonly printConfig: boolean;
  readonly quiet: boolean;
  readonly json: boolean;
  readonly metricsFile: string | undefined;
  readonly all: boolean;
  readonly againstSource: boolean;
  readonly to: string | undefined;
  readonly dryRun: boolean;
  readonly force: boolean;
  readonly output: string | undefined;
  readonly from: string | undefined;
  readonly defaultConfig: boolean;
  readonly version: boolean;
  readonly help: boolean;
}

/** Reads the arguments of a program, or gives one line for each that is wrong. */
export function parseFlags(
  program: Program,
  args: readonly string[],
): { flags: Flags } | { problems: string[] } {
  const tokens = tokensOf(program, args);
  // A verb may stand behind flags; what does not look like one is named below.
  const verbToken = program.verbs.length === 0 ? undefined : tokens.find(({ kind }) => kind === "positional");
  const verb = program.verbs.find(({ name }) => name === verbToken?.value);
  if (verbToken !== undefined && verb === undefined) return { problems: [unknownVerb(program, verbToken)] };

  const flags = verb?.flags ?? program.flags;
  const given = new Map<FlagName, string | undefined>();
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
  return problems.length > 0 ? { problems } : { flags: toFlags(verb, argument, given) };
}

interface Token {
  readonly kind: "option" | "positional" | "option-terminator";
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

/** A flag takes a value in all verbs or in none, so the arguments are cut before the verb is known. */
function tokensOf(program: Program, args: readonly string[]): Token[] {
  const flags = [program, ...program.verbs].flatMap((callable) => callable.flags);
  const options = Object.fromEntries(
    flags.map(({ name, value }) => [name, { type: value === undefined ? "boolean" : "string" } as const]),
  );
  // Strict parsing would stop at the first problem, and with another wording.
  const parsed = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  return parsed.tokens as unknown as Token[];
}

function faultOf(
  flag: Flag,
  token: Token,
  given: ReadonlyMap<FlagName, string | undefined>,
): string | undefined {
  const { name, value } = flag;
  if (given.has(name)) return `--${name} is given twice`;
  if (value === undefined) return token.value === undefined ? undefined : `--${name} takes no value`;
  // `--config --help` forgot the path; a path that does start with a dash can be given as `--config=-path`. A
  // dash alone is standard input.
  const isFlag = token.value?.startsWith("-") && token.value !== "-" && token.inlineValue !== true;
  return !token.value || isFlag ? `--${name} needs a value: --${name} <${value}>` : undefined;
}

function missingFlags(flags: readonly Flag[], given: ReadonlyMap<FlagName, string | undefined>): string[] {
  return flags.filter(({ name, required }) => required && !given.has(name))
    .map(({ name, value }) => `--${name} is missing: --${name} <${value}>`);
}

function unknownVerb(program: Program, { value = "" }: Token): string {
  const near = suggest(value, program.verbs.map(({ name }) => name));
  return `unknown verb ${JSON.stringify(value)}${didYouMean(near)}`;
}

function unknownFlag(program: Program, verb: Verb | undefined, rawName: string): string {
  const own = (verb ?? program).flags;
  const line = `unknown flag ${JSON.stringify(rawName)}${verb === undefined ? "" : ` of ${verb.name}`}`;
  const homes = program.verbs.filter(({ flags }) => flags.some(({ name }) => rawName === `--${name}`));
  if (homes.length > 0) return `${line}, it belongs to ${homes.map(({ name }) => name).join(" or ")}`;
  return line + didYouMean(suggest(rawName, own.map(({ name }) => `--${name}`)));
}

function didYouMean(near: string | undefined): string {
  return near === undefined ? "" : `, did you mean ${near}?`;
}

function toFlags(
  verb: Verb | undefined,
  argument: string | undefined,
  given: ReadonlyMap<FlagName, string | undefined>,
): Flags {
  return {
    verb: verb?.name,
    argument,
    config: given.get("config"),
    dataDir: given.get("data-dir"),
    import: given.get("import"),
    checkConfig: given.has("check-config"),
    printConfig: given.has("print-config"),
    quiet: given.has("quiet"),
    json: given.has("json"),
    metricsFile: given.get("metrics-file"),
    all: given.has("all"),
    againstSource: given.has("against-source"),
    to: given.get("to"),
    dryRun: given.has("dry-run"),
    force: given.has("force"),
    output: given.get("output"),
    from: given.get("from"),
    defaultConfig: given.has("default-config"),
    version: given.has("version"),
    help: given.has("help"),
  };
}
