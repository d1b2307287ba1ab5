import { allFlags } from "../flags.ts";
import type { Flag, Program, Verb } from "../program.ts";
import { offeredFlags, takesPath } from "./offered_flags.ts";

/** Completes verbs, flags, arguments and paths in bash. */
export function bashCompletion(program: Program): string {
  const name = `_${program.name.replaceAll("-", "_")}`;
  const withValue = allFlags(program).filter(({ value }) => value !== undefined);
  const verbs = program.verbs.map((verb) => `    ${verb.name}) ${offersOf(verb)} ;;\n`).join("");
  const verbNames = program.verbs.map((verb) => verb.name);
  // Only verbs are compared. bash splits a value with a colon, such as a URL, into several words.
  const verbCase = verbNames.length === 0
    ? ""
    : `      ${verbNames.join("|")}) verb=\${verb:-\${COMP_WORDS[i]}} ;;\n`;
  return `# bash completion for ${program.name}

${name}() {
  local current=\${COMP_WORDS[COMP_CWORD]} flag=\${COMP_WORDS[COMP_CWORD - 1]} verb='' words files='' i
  # bash cuts --flag=value into three words.
  if [[ $current == '=' ]]; then
    current=''
  elif [[ $flag == '=' ]]; then
    flag=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  case $flag in
${valueCases(withValue)}  esac
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
      ${patternOf(withValue)})
        ((i += 1))
        [[ \${COMP_WORDS[i]} == '=' ]] && ((i += 1))
        ;;
${verbCase}    esac
  done
  case $verb in
    '') words='${[...verbNames, words(offeredFlags(program))].join(" ")}' ;;
${verbs}  esac
  if [[ $files && $current != -* ]]; then
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  fi
}
complete -F ${name} ${program.name}
`;
}

/** Completes the value of a flag: paths if it takes one, else nothing. */
function valueCases(withValue: readonly Flag[]): string {
  const others = withValue.filter((flag) => !takesPath(flag));
  return `    ${patternOf(withValue.filter(takesPath))})
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      return
      ;;
${others.length === 0 ? "" : `    ${patternOf(others)}) return ;;\n`}`;
}

function offersOf(verb: Verb): string {
  const [first] = verb.arguments ?? [];
  const offered = [...first?.choices ?? [], words(offeredFlags(verb))].join(" ");
  return `words='${offered}'${first?.name === "file" ? " files=1" : ""}`;
}

function patternOf(flags: readonly Flag[]): string {
  return [...new Set(flags.map(flagText))].join("|");
}

function words(flags: readonly Flag[]): string {
  return flags.map(flagText).join(" ");
}

function flagText({ name }: Flag): string {
  return `--${name}`;
}
