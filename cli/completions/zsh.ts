import type { Argument, Flag, Program, Verb } from "../program.ts";
import { offeredFlags, takesPath } from "./offered_flags.ts";

/** Completes verbs, flags, arguments and paths in zsh, each with its meaning. */
export function zshCompletion(program: Program): string {
  const { name, verbs } = program;
  const own = offeredFlags(program).map(flagSpec);
  if (verbs.length === 0) return `#compdef ${name}\n\n${argumentsCall(own)}`;
  const cases = verbs.map((verb) => `  (${verb.name})\n${indented(argumentsCall(verbSpecs(verb)))}    ;;\n`)
    .join("");
  const rows = verbs.map((verb) => `${verb.name}\\:${escaped(verb.summary).replace(/[ "'()]/g, "\\$&")}`);
  return `#compdef ${name}

# A verb may follow flags.
local verb=\${\${(M)words[2,CURRENT-1]:#(${verbs.map((verb) => verb.name).join("|")})}[1]}

case $verb in
${cases}  (*)
${indented(argumentsCall([...own, quoted(`1:verb:((${rows.join(" ")}))`)]))}    ;;
esac
`;
}

function verbSpecs(verb: Verb): string[] {
  const given = (verb.arguments ?? []).map((argument, i) =>
    quoted(`${argument.repeated ? "*" : i + 2}:${argumentSpec(argument)}`)
  );
  return [...offeredFlags(verb).map(flagSpec), "'1: : '", ...given];
}

function argumentSpec({ name, choices }: Argument): string {
  if (choices !== undefined) return `${name}:(${choices.join(" ")})`;
  return `${name}:${name === "file" ? "_files" : " "}`;
}

function argumentsCall(specs: readonly string[]): string {
  return `_arguments ${specs.map((spec) => `\\\n  ${spec}`).join(" ")}\n`;
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, "    ");
}

function flagSpec(flag: Flag): string {
  const { name, value, help, repeated } = flag;
  const parameter = value === undefined
    ? ["", ""]
    : ["=", `:${escaped(value)}:${takesPath(flag) ? "_files" : " "}`];
  return quoted(`${repeated ? "*" : ""}--${name}${parameter[0]}[${escaped(help)}]${parameter[1]}`);
}

function escaped(meaning: string): string {
  return meaning.replace(/[[\]:\\]/g, "\\$&");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
