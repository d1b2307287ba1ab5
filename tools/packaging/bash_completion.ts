import type { Flag, Program } from "../../cli/program.ts";

/** Completes verbs, flags and paths in bash. */
export function bashCompletion(program: Program): string {
  const name = `_${program.name.replaceAll("-", "_")}`;
  const all = [program, ...program.verbs].flatMap(({ flags }) => flags);
  const withValue = [...new Set(all.filter(({ value }) => value !== undefined).map(flagText))].join("|");
  const verbs = program.verbs.map((verb) => `    ${verb.name}) words='${words(verb.flags)}' ;;\n`).join("");
  return `# bash completion for ${program.name}

${name}() {
  local current=\${COMP_WORDS[COMP_CWORD]} flag=\${COMP_WORDS[COMP_CWORD - 1]} verb='' words i
  # bash cuts --flag=value into three words.
  if [[ $current == '=' ]]; then
    current=''
  elif [[ $flag == '=' ]]; then
    flag=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  case $flag in
    ${withValue})
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      return
      ;;
  esac
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
      ${withValue})
        ((i += 1))
        [[ \${COMP_WORDS[i]} == '=' ]] && ((i += 1))
        ;;
      -*) ;;
      *) verb=\${verb:-\${COMP_WORDS[i]}} ;;
    esac
  done
  case $verb in
    '') words='${[...program.verbs.map((verb) => verb.name), words(program.flags)].join(" ")}' ;;
${verbs}    *) words='' ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -F ${name} ${program.name}
`;
}

function words(flags: readonly Flag[]): string {
  return flags.map(flagText).join(" ");
}

function flagText({ name }: Flag): string {
  return `--${name}`;
}
