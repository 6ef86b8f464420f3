/** `vexil completion`: prints the completion script of a shell. */
import { Argument, Command } from 'commander';
import type { Terminal } from '../terminal.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

const EXAMPLES = `
Examples:
  source <(vexil completion bash)
  vexil completion zsh > "\${fpath[1]}/_vexil"
  vexil completion fish > ~/.config/fish/completions/vexil.fish`;

export function completionCommand(terminal: Terminal): Command {
  return new Command('completion')
    .summary('print the completion of a shell')
    .description('Prints a script with which a shell completes commands and options of vexil.')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText('after', EXAMPLES)
    .action(async (shell: (typeof SHELLS)[number], _options: unknown, { parent }: Command) => {
      const { completionOf } = await import('../completion/completion.ts');
      terminal.write(parent ? completionOf(shell, parent) : '');
    });
}
