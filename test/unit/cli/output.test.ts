/** The options of every command. */
import { expect, test } from 'vitest';
import { createProgram } from '../../../cli/program.ts';
import { silentTerminal } from '../../../cli/terminal.ts';

test('every command prints text or JSON by --output, except those whose output is for a program', () => {
  const { commands } = createProgram(silentTerminal);
  // A command without options is the name of a group.
  const isGroup = ({ options, commands: inside }: (typeof commands)[number]) =>
    options.length === 0 && inside.length > 0;
  const all = commands.flatMap((command) => (isGroup(command) ? command.commands : [command]));
  const without = all.filter((command) => {
    const output = command.options.find(({ long }) => long === '--output');
    return !['text', 'json'].every((format) => output?.argChoices?.includes(format));
  });
  // These commands print a script for a shell, and the messages of a protocol.
  expect(without.map((command) => command.name())).toEqual(['edge', 'mcp', 'completion']);
});
