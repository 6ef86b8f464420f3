/** Completion for zsh. */
import { type CompletedCommand, type CompletedOption, quoted } from './definition.ts';

export function zshCompletion(commands: readonly CompletedCommand[]): string {
  const described = commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`);
  return `#compdef vexil
# zsh completion of vexil. Load it with: source <(vexil completion zsh)
_vexil() {
  local -a commands=(
${described.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case $words[2] in
${commands.map(argumentsOf).join('')}  esac
}
if [ "$funcstack[1]" = _vexil ]; then
  _vexil "$@"
else
  compdef _vexil vexil
fi
`;
}

/** The script removes the word `vexil`, because `_arguments` takes the first word for the command. */
function argumentsOf({ name, options, choices }: CompletedCommand): string {
  const rest = choices.length > 0 ? `'*:argument:(${choices.join(' ')})'` : `'*:file:_files'`;
  return `  ${name}) shift words; (( CURRENT-- )); _arguments ${[...options.flatMap(specsOf), rest].join(' ')} ;;\n`;
}

function specsOf({ long, short, description, takesValue, choices }: CompletedOption): readonly string[] {
  const value = choices.length > 0 ? `:value:(${choices.join(' ')})` : ':value:_files';
  const text = description.replace(/[[\]:\\]/g, String.raw`\$&`);
  return (short ? [short, long] : [long]).map((flag) => quoted(`*${flag}[${text}]${takesValue ? value : ''}`));
}
