import { settingsHelp } from "../src/config/print.ts";
import type { Flag, Program } from "./program.ts";

/** The text of `--help`, of a program or of one of its verbs: usage, flags, and the settings that it reads. */
export function helpText(program: Program, verbName?: string): string {
  const verb = program.verbs.find(({ name }) => name === verbName);
  const { summary, flags, keys } = verb ?? program;
  const name = verb === undefined ? program.name : `${program.name} ${verb.name}`;
  return `${name}: ${summary}

Usage: ${name}${verb?.argument === undefined ? "" : ` [${verb.argument}]`} [flags]
${verb === undefined ? verbsHelp(program) : ""}
Flags:
${flagsHelp(flags)}
Settings in [${program.section}] of the file. A value in the file wins over the variable, which wins over the default.

${settingsHelp(program.section, keys)}`;
}

function verbsHelp(program: Program): string {
  if (program.verbs.length === 0) return "";
  const rows = program.verbs.map(({ name, summary }): [string, string] => [name, summary]);
  return `       ${program.name} <verb> [flags]

Verbs, each with its own flags and --help:
${columns(rows)}`;
}

function flagsHelp(flags: readonly Flag[]): string {
  return columns(flags.map(({ name, value, help }) => [
    `--${name}${value === undefined ? "" : ` <${value}>`}`,
    help,
  ]));
}

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join("");
}
