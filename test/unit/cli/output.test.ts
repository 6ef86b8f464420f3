/** The options that every command has. */
import { expect, test } from 'vitest';
import { createProgram } from '../../../cli/program.ts';
import { silentTerminal } from '../../../cli/terminal.ts';

test('every command prints JSON with --output json, except those whose output is for a program already', () => {
  const { commands } = createProgram(silentTerminal);
  const without = commands.filter((command) => {
    const output = command.options.find(({ long }) => long === '--output');
    return !output?.argChoices?.includes('json');
  });
  // A script for a shell, and the messages of a protocol.
  expect(without.map((command) => command.name())).toEqual(['mcp', 'completion']);
});
