/** Completion for bash. */
import { type CompletedCommand, flagsOf, quoted } from './definition.ts';

/** `-o default` completes files if the script offers no words. */
export function bashCompletion(commands: readonly CompletedCommand[]): string {
  return `# bash completion of vexil. Load it with: source <(vexil completion bash)
_vexil() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous= command= words=
  [[ $COMP_CWORD -gt 1 ]] && command=\${COMP_WORDS[1]} && previous=\${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  case "$command $previous" in
${commands.flatMap(choicesOf).join('')}  esac
  if [[ -z $words ]]; then
    case "$command" in
    '') words=${words(commands.map(({ name }) => name))} ;;
${commands.map(wordsOf).join('')}    esac
  fi
  [[ -n $words ]] && COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _vexil vexil
`;
}

function choicesOf({ name, options }: CompletedCommand): readonly string[] {
  return options
    .filter(({ choices }) => choices.length > 0)
    .map(({ long, choices }) => `  ${quoted(`${name} ${long}`)}) words=${words(choices)} ;;\n`);
}

/** Offers options after a dash, otherwise the choices of arguments. */
function wordsOf(command: CompletedCommand): string {
  const { name, choices } = command;
  return `    ${name}) if [[ $current == -* ]]; then words=${words(flagsOf(command))}; else words=${words(choices)}; fi ;;\n`;
}

function words(list: readonly string[]): string {
  return quoted(list.join(' '));
}
