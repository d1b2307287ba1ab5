import { settingsHelp } from "../src/config/print.ts";
import type { Argument, Flag, Meanings, Program, Verb } from "./program.ts";

/** Returns the text of `--help` for a program or a verb: usage, flags, settings or variables, and exit codes. */
export function helpText(program: Program, verbName?: string): string {
  const verb = program.verbs.find(({ name }) => name === verbName);
  const { summary, flags } = verb ?? program;
  const name = verb === undefined ? program.name : `${program.name} ${verb.name}`;
  return `${name}: ${summary}

${usageHelp(program, verb)}
Flags:
${flagsHelp([...flags, ...(verb?.group ? [verb.group.begin] : [])])}${groupHelp(verb)}
${surroundingsHelp(program, verb)}`;
}

/** Returns the arguments of a verb as the line of its usage shows them. */
export function argumentsText({ arguments: known = [] }: Verb): string {
  const text = ({ name, choices, required, repeated }: Argument): string => {
    const what = choices?.join("|") ?? name;
    return `${required ? ` ${what}` : ` [${what}]`}${repeated ? "..." : ""}`;
  };
  return known.map(text).join("");
}

/** Returns a flag with the name of its value. */
export function flagText({ name, value }: Flag): string {
  return `--${name}${value === undefined ? "" : ` <${value}>`}`;
}

function usageHelp(program: Program, verb: Verb | undefined): string {
  if (verb !== undefined) {
    const group = verb.group === undefined ? "" : ` [${flagText(verb.group.begin)} [flags]]...`;
    return `Usage: ${program.name} ${verb.name}${argumentsText(verb)} [flags]${group}\n`;
  }
  const usages = [
    ...(program.needsVerb ? [] : [`${program.name} [flags]`]),
    ...(program.verbs.length === 0 ? [] : [`${program.name} <verb> [flags]`]),
  ];
  return `Usage: ${usages.join("\n       ")}\n${verbsHelp(program)}`;
}

function verbsHelp(program: Program): string {
  if (program.verbs.length === 0) return "";
  const rows = program.verbs.map(({ name, summary }): [string, string] => [name, summary]);
  return `
Verbs, each with its own flags and --help:
${columns(rows)}`;
}

function flagsHelp(flags: readonly Flag[]): string {
  return columns(flags.map((flag) => [flagText(flag), flag.help]));
}

function groupHelp(verb: Verb | undefined): string {
  if (verb?.group === undefined) return "";
  const { begin, flags } = verb.group;
  return `
Flags behind --${begin.name}; another --${begin.name} begins anew:
${flagsHelp(flags)}`;
}

/** Returns the help on settings, or on variables and exit codes for a program without a section. */
function surroundingsHelp(program: Program, verb: Verb | undefined): string {
  const { section, variables = [], exitCodes = [] } = program;
  if (section === undefined) {
    return `Variables:\n${columns(variables)}\nExit codes:\n${columns(exitCodes)}`;
  }
  return `Settings in [${section}] of the file. A value in the file wins over the variable, which wins over the default.

${settingsHelp(section, (verb ?? program).keys)}`;
}

function columns(rows: Meanings): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join("");
}
