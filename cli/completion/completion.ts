/** The completion of each shell. */
import type { Command } from 'commander';
import { bashCompletion } from './bash.ts';
import { completedCommands } from './definition.ts';
import { fishCompletion } from './fish.ts';
import { zshCompletion } from './zsh.ts';

const shells = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

/** Returns the completion script of the shell. */
export function completionOf(shell: keyof typeof shells, program: Command): string {
  return shells[shell](completedCommands(program));
}
