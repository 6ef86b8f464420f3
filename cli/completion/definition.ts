/** What a shell completes, from the definition of the program. */
import type { Command } from 'commander';

export interface CompletedOption {
  readonly long: string;
  /** With its dash; undefined: it has none. */
  readonly short: string | undefined;
  readonly description: string;
  readonly takesValue: boolean;
  /** Empty: any value, or a file. */
  readonly choices: readonly string[];
}

export interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly CompletedOption[];
  /** Of its arguments; empty: files. */
  readonly choices: readonly string[];
}

export function completedCommands(program: Command): readonly CompletedCommand[] {
  return program.commands.map((command) => ({
    name: command.name(),
    summary: command.summary(),
    options: command
      .createHelp()
      .visibleOptions(command)
      .map(({ long, short, description, required, optional, argChoices }) => ({
        long: long ?? '',
        short,
        description,
        takesValue: required || optional,
        choices: argChoices ?? [],
      })),
    choices: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  }));
}

/** All spellings of options. */
export function flagsOf({ options }: CompletedCommand): readonly string[] {
  return options.flatMap(({ long, short }) => (short ? [short, long] : [long]));
}

/** As one word of a POSIX shell, of zsh and of fish. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
