import type { Flag, Program } from "../../cli/program.ts";

/** Completes verbs, flags and paths in fish, each with its meaning. */
export function fishCompletion(program: Program): string {
  const { name, verbs } = program;
  const names = verbs.map((verb) => verb.name).join(" ");
  const before = verbs.length === 0 ? "" : ` -n 'not __fish_seen_subcommand_from ${names}'`;
  const lines = [
    `complete -c ${name} -f`,
    ...verbs.map((verb) => `complete -c ${name}${before} -a ${verb.name} -d ${quoted(verb.summary)}`),
    ...program.flags.map((flag) => `complete -c ${name}${before}${flagOptions(flag)}`),
    ...verbs.flatMap((verb) =>
      verb.flags.map((flag) =>
        `complete -c ${name} -n '__fish_seen_subcommand_from ${verb.name}'${flagOptions(flag)}`
      )
    ),
  ];
  return `# fish completion for ${name}\n${lines.join("\n")}\n`;
}

function flagOptions({ name, value, help }: Flag): string {
  return ` -l ${name}${value === undefined ? "" : " -r -F"} -d ${quoted(help)}`;
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
