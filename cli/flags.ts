import { parseArgs } from "node:util";
import { pathFault } from "../src/config/path_fault.ts";
import type { Setting } from "../src/config/setting.ts";
import { settingsOf } from "../src/config/settings.ts";
import { didYouMean, suggest } from "../src/config/suggest.ts";
import { fromRoot } from "../src/files/paths.ts";
import type { Argument, CommandLine, Flag, Program, Verb } from "./program.ts";

/** The given flags by name, with their values: an empty text for a flag that takes none. */
type Given = Map<string, readonly string[]>;

/** Reads the arguments of a program. If some are wrong, returns one line for each, and the command for help. */
export function parseFlags<P extends Program>(
  program: P,
  args: readonly string[],
): { line: CommandLine<P> } | { problems: string[]; help: string } {
  const tokens = tokensOf(program, args);
  // A verb may follow flags. A text that looks like no verb is reported below.
  const verbToken = program.verbs.length === 0
    ? undefined
    : tokens.find((token) => token.kind === "positional");
  const verb = program.verbs.find(({ name }) => name === verbToken?.value);
  if (verbToken !== undefined && verb === undefined) {
    return { problems: [unknownVerb(program, verbToken.value)], help: helpCommand(program) };
  }

  const positionals = tokens.flatMap((token) =>
    token.kind === "positional" && token !== verbToken ? [token.value] : []
  );
  const { given, groups, problems } = readFlags(program, verb, tokens.filter(isOption));
  problems.unshift(...argumentFaults(verb?.arguments ?? [], positionals));
  const flags = verb?.flags ?? program.flags;
  if (problems.length === 0 && !given.has("help")) {
    problems.push(...missing(program, verb, positionals, given));
  }
  if (problems.length > 0) return { problems, help: helpCommand(program, verb?.name) };
  const groupFlags = verb?.group?.flags ?? [];
  const line = {
    verb: verb?.name,
    arguments: positionals,
    options: optionsOf(flags, given),
    groups: groups.map((group) => optionsOf(groupFlags, group)),
  };
  // The program's declaration determines which options exist, and the code above has looked them up in it.
  return { line: line as unknown as CommandLine<P> };
}

/** Returns the command that prints the help of a program, or of one of its verbs. */
export function helpCommand(program: Program, verb?: string): string {
  return `${program.name}${verb === undefined ? "" : ` ${verb}`} --help`;
}

type Token = ReturnType<typeof tokensOf>[number];
type OptionToken = Extract<Token, { kind: "option" }>;

function isOption(token: Token): token is OptionToken {
  return token.kind === "option";
}

/** A flag takes a value in all verbs or in none, so the arguments are split before the verb is known. */
function tokensOf(program: Program, args: readonly string[]) {
  const options = Object.fromEntries([
    // This keeps the value of a setting that is given like a flag from being reported as another mistake.
    ...settingsAsFlags(program).map(({ name, setting }) =>
      [name, kindOf(setting.kind !== "boolean")] as const
    ),
    ...allFlags(program).map(({ name, value }) => [name, kindOf(value !== undefined)] as const),
    ["help", { type: "boolean", short: "h" }] as const,
  ]);
  // Strict parsing would stop at the first problem, and with other messages.
  const parsed = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  return parsed.tokens;
}

/** Returns every flag of a program and its verbs, some of them more than once. */
export function allFlags(program: Program): Flag[] {
  return [program, ...program.verbs].flatMap(flagsWithGroup);
}

/** Returns the flags of a program or a verb, with the flags of its group. */
export function flagsWithGroup({ flags, group }: Pick<Verb, "flags" | "group">): readonly Flag[] {
  return group === undefined ? flags : [...flags, group.begin, ...group.flags];
}

function kindOf(takesValue: boolean): { readonly type: "string" | "boolean" } {
  return { type: takesValue ? "string" : "boolean" };
}

/** Returns the settings that the program reads, by the names that a user might give them as flags. */
function settingsAsFlags(program: Program): { name: string; key: string; setting: Setting }[] {
  if (program.section === undefined) return [];
  return settingsOf(program.section)
    .filter(([key]) => program.keys?.includes(key) ?? true)
    .flatMap(([key, setting]) => {
      const withDashes = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      return [key, withDashes].map((name) => ({ name, key, setting }));
    });
}

function readFlags(
  program: Program,
  verb: Verb | undefined,
  tokens: readonly OptionToken[],
): { readonly given: Given; readonly groups: readonly Given[]; readonly problems: string[] } {
  const own = (verb ?? program).flags;
  const { begin, flags: groupFlags = [] } = verb?.group ?? {};
  const given: Given = new Map();
  const groups: Given[] = [];
  const problems: string[] = [];
  for (const token of tokens) {
    const find = (flags: readonly Flag[]): Flag | undefined =>
      flags.find(({ name }) => token.name === name && /^(--|-h$)/.test(token.rawName));
    if (begin !== undefined && find([begin]) !== undefined) {
      problems.push(...faultsOf(begin, token, new Map()));
      groups.push(new Map());
      continue;
    }
    const ofGroup = groups.length === 0 ? undefined : find(groupFlags);
    const flag = ofGroup ?? find(own);
    const target = ofGroup === undefined ? given : groups.at(-1)!;
    const faults = flag === undefined ? [unknownFlag(program, verb, token)] : faultsOf(flag, token, target);
    problems.push(...faults);
    if (faults.length === 0) target.set(flag!.name, [...target.get(flag!.name) ?? [], token.value ?? ""]);
  }
  return { given, groups, problems };
}

function faultsOf(flag: Flag, token: OptionToken, given: Given): string[] {
  const { name, value } = flag;
  if (given.has(name) && flag.repeated === undefined) return [`--${name} is given twice`];
  if (value === undefined) return token.value === undefined ? [] : [`--${name} takes no value`];
  // In `--config --help` the path is missing. A path that starts with a dash can be given as `--config=-path`. A dash
  // alone is standard input.
  const isFlag = token.value?.startsWith("-") && token.value !== "-" && token.inlineValue !== true;
  const isEmpty = !token.value && !(token.value === "" && flag.mayBeEmpty);
  if (isEmpty || isFlag) {
    const withDash = isFlag ? `; if it begins with a dash, --${name}=<${value}>` : "";
    return [`--${name} needs a value: --${name} <${value}>${withDash}`];
  }
  const fault = isPath(value, token.value!) ? pathFault(token.value!) : undefined;
  return fault === undefined ? [] : [`--${name} ${fault}`];
}

/** True when the value of a flag is a path, and not a dash for standard input. */
function isPath(what: string | undefined, given: string): boolean {
  return what === "path" && given !== "-";
}

function argumentFaults(known: readonly Argument[], given: readonly string[]): string[] {
  const last = known.at(-1);
  return given.flatMap((value, i) => {
    const argument = known[i] ?? (last?.repeated ? last : undefined);
    const choices = argument?.choices;
    if (argument === undefined || value === "") return [`unexpected argument ${JSON.stringify(value)}`];
    if (choices === undefined || choices.includes(value)) return [];
    return [`unexpected argument ${JSON.stringify(value)}: it is one of ${choices.join(", ")}`];
  });
}

function missing(
  program: Program,
  verb: Verb | undefined,
  positionals: readonly string[],
  given: Given,
): string[] {
  if (program.needsVerb && verb === undefined && !given.has("version")) {
    return [`a verb is missing, one of ${program.verbs.map(({ name }) => name).join(", ")}`];
  }
  const absent = verb?.arguments?.slice(positionals.length).filter(({ required }) => required) ?? [];
  return [
    ...absent.map(({ name, choices }) => `${choices?.join(" or ") ?? name} is missing`),
    ...(verb ?? program).flags.filter(({ name, required }) => required && !given.has(name))
      .map(({ name, value }) => `--${name} is missing: --${name} <${value}>`),
  ];
}

function unknownVerb(program: Program, value: string): string {
  const names = program.verbs.map(({ name }) => name);
  const near = suggest(value, names);
  const meant = near === undefined ? "; the" : `${didYouMean(near)} The`;
  const known = names.length === 1 ? "only verb is" : "verbs are";
  const without = program.summary.charAt(0).toLowerCase() + program.summary.slice(1, -1);
  return `unknown verb ${JSON.stringify(value)}${meant} ${known} ${
    names.join(", ")
  }; without one it ${without}`;
}

function unknownFlag(
  program: Program,
  verb: Verb | undefined,
  { rawName, name, value }: OptionToken,
): string {
  const own = flagsWithGroup(verb ?? program);
  const line = `unknown flag ${JSON.stringify(rawName)}${verb === undefined ? "" : ` of ${verb.name}`}`;
  const { group } = verb ?? {};
  if (group?.flags.some(({ name }) => rawName === `--${name}`)) {
    return `${line} before --${group.begin.name}; it belongs behind it`;
  }
  const homes = program.verbs.filter((home) =>
    flagsWithGroup(home).some(({ name }) => rawName === `--${name}`)
  );
  if (homes.length > 0) return `${line}; it belongs to ${homes.map(({ name }) => name).join(" or ")}`;
  const meant = settingsAsFlags(program).find((setting) => setting.name === name);
  if (meant !== undefined) return `${line}; ${asSetting(program, meant, value)}`;
  return line + didYouMean(suggest(rawName, own.map(({ name }) => `--${name}`)));
}

/** Returns how to set a setting that was given like a flag. A token is not repeated. */
function asSetting(
  program: Program,
  { key, setting }: { readonly key: string; readonly setting: Setting },
  given: string | undefined,
): string {
  const isPlain = given !== undefined && /^[\w./:-]+$/.test(given);
  const isSecret = setting.kind === "text" && (setting.format === "token" || setting.format === "url");
  const value = setting.kind === "boolean" ? "true" : isPlain && !isSecret ? given : "...";
  return `${key} is a setting: write it into [${program.section}] of the file, or set ${setting.variable}=${value}`;
}

function optionsOf(
  flags: readonly Flag[],
  given: Given,
): Record<string, string | boolean | undefined | readonly string[]> {
  return Object.fromEntries(flags.map(({ name, value, repeated }) => {
    const values = (given.get(name) ?? []).map((text) => valueOf(value, text));
    return [
      name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
      value === undefined ? given.has(name) : repeated ? values : values[0],
    ];
  }));
}

/** Returns a value, with a path made absolute, so that every message that names it is clear. */
function valueOf(what: string | undefined, given: string): string {
  return isPath(what, given) ? fromRoot(given) : given;
}
