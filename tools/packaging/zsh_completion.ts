import type { Flag, Program } from "../../cli/program.ts";

/** Completes verbs, flags and paths in zsh, each with its meaning. */
export function zshCompletion(program: Program): string {
  const { name, verbs } = program;
  if (verbs.length === 0) return `#compdef ${name}\n\n${argumentsCall(program.flags.map(flagSpec))}`;
  const cases = verbs.map((verb) =>
    `  (${verb.name})\n${
      indented(argumentsCall([
        ...verb.flags.map(flagSpec),
        "'1: : '",
        ...(verb.argument === undefined ? [] : [`'2:${verb.argument}: '`]),
      ]))
    }    ;;\n`
  ).join("");
  const rows = verbs.map((verb) => `${verb.name}\\:${escaped(verb.summary).replace(/[ "()]/g, "\\$&")}`);
  return `#compdef ${name}

# A verb may follow flags.
local verb=\${\${(M)words[2,CURRENT-1]:#(${verbs.map((verb) => verb.name).join("|")})}[1]}

case $verb in
${cases}  (*)
${indented(argumentsCall([...program.flags.map(flagSpec), quoted(`1:verb:((${rows.join(" ")}))`)]))}    ;;
esac
`;
}

function argumentsCall(specs: readonly string[]): string {
  return `_arguments ${specs.map((spec) => `\\\n  ${spec}`).join(" ")}\n`;
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, "    ");
}

function flagSpec({ name, value, help }: Flag): string {
  const parameter = value === undefined ? ["", ""] : ["=", `:${value}:_files`];
  return quoted(`--${name}${parameter[0]}[${escaped(help)}]${parameter[1]}`);
}

function escaped(meaning: string): string {
  return meaning.replace(/[[\]:\\]/g, "\\$&");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
