/** Completion for fish. */
import { type CompletedCommand, type CompletedOption, quoted } from './definition.ts';

export function fishCompletion(commands: readonly CompletedCommand[]): string {
  return `# fish completion of vexil. Load it with: vexil completion fish | source
${commands.map(linesOf).join('')}`;
}

function linesOf(command: CompletedCommand): string {
  const { name, summary, options, choices } = command;
  const isFirst = quoted('__fish_use_subcommand');
  const isThis = quoted(`__fish_seen_subcommand_from ${name}`);
  const first = `complete -c vexil -n ${isFirst} -f -a ${name} -d ${quoted(summary)}\n`;
  const offered = choices.length > 0 ? `complete -c vexil -n ${isThis} -f -a ${quoted(choices.join(' '))}\n` : '';
  return first + offered + options.map((option) => `complete -c vexil -n ${isThis} ${specOf(option)}\n`).join('');
}

function specOf({ long, short, description, takesValue, choices }: CompletedOption): string {
  const value = choices.length > 0 ? ` -x -a ${quoted(choices.join(' '))}` : takesValue ? ' -r' : '';
  return `${short ? `-s ${short.slice(1)} ` : ''}-l ${long.slice(2)}${value} -d ${quoted(description)}`;
}
