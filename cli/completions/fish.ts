import type { Flag, Program, Verb } from "../program.ts";
import { offeredFlags, takesPath } from "./offered_flags.ts";

/** Completes verbs, flags, arguments and paths in fish, each with its meaning. */
export function fishCompletion(program: Program): string {
  const { name, verbs } = program;
  const names = verbs.map((verb) => verb.name).join(" ");
  const before = verbs.length === 0 ? "" : ` -n 'not __fish_seen_subcommand_from ${names}'`;
  const lines = [
    `complete -c ${name} -f`,
    ...verbs.map((verb) => `complete -c ${name}${before} -a ${verb.name} -d ${quoted(verb.summary)}`),
    ...offeredFlags(program).map((flag) => `complete -c ${name}${before}${flagOptions(flag)}`),
    ...verbs.flatMap((verb) =>
      [...argumentOptions(verb), ...offeredFlags(verb).map(flagOptions)].map((options) =>
        `complete -c ${name} -n '__fish_seen_subcommand_from ${verb.name}'${options}`
      )
    ),
  ];
  return `# fish completion for ${name}\n${lines.join("\n")}\n`;
}

function argumentOptions({ arguments: [first] = [] }: Verb): string[] {
  if (first?.choices !== undefined) return [` -a ${quoted(first.choices.join(" "))}`];
  return first?.name === "file" ? [" -F"] : [];
}

function flagOptions(flag: Flag): string {
  const value = flag.value === undefined ? "" : takesPath(flag) ? " -r -F" : " -x";
  return ` -l ${flag.name}${value} -d ${quoted(flag.help)}`;
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
