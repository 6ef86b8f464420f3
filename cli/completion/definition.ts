/** Derives what a shell completes from the definition of the program. */
import type { Command } from 'commander';

export interface CompletedOption {
  readonly long: string;
  /** The short form with its dash; undefined if there is none. */
  readonly short: string | undefined;
  readonly description: string;
  readonly takesValue: boolean;
  /** The allowed values; empty if the option takes any value or a file. */
  readonly choices: readonly string[];
}

export interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly CompletedOption[];
  /** The allowed values of the arguments; if empty, shells complete files. */
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

/** Returns all spellings of the options of a command. */
export function flagsOf({ options }: CompletedCommand): readonly string[] {
  return options.flatMap(({ long, short }) => (short ? [short, long] : [long]));
}

/** Quotes the text as one word for POSIX shells, zsh and fish. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
