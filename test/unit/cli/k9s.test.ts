/** The files for k9s name commands and columns that exist. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { createProgram } from '../../../cli/program.ts';
import { silentTerminal } from '../../../cli/terminal.ts';
import { API_VERSION } from '../../../src/model/kind.ts';
import { featureFlag } from '../../../src/schema/feature-flag.ts';

const read = async (name: string) =>
  parse(await readFile(new URL(`../../../config/k9s/${name}`, import.meta.url), 'utf8'));

test('plugins run existing commands of the program with existing options', async () => {
  const { plugins } = await read('plugins.yaml');
  const shortCuts = Object.values(plugins).map((plugin) => Object(plugin).shortCut);
  expect(new Set(shortCuts).size).toBe(3);
  for (const { scopes, command, args } of Object.values<Record<string, string[]>>(plugins)) {
    expect([scopes, command, args?.[0]]).toEqual([[featureFlag.plural], 'sh', '-c']);
    const [, name, options = ''] = /^vexil (\S+) (.+) 2>&1 \| less -K$/.exec(args?.[1] ?? '') ?? [];
    const found = createProgram(silentTerminal).commands.find((one) => one.name() === name);
    const known = found?.options.map(({ long }) => long);
    expect(known).toEqual(expect.arrayContaining(options.match(/--[\w-]+/g) ?? []));
    // k9s replaces $WORD itself, and fails for words that it does not know.
    expect(options.match(/\$\w+/g)).toBeNull();
    const given = args?.slice(3) ?? [];
    expect(options.match(/\$\{\d\}/g)).toEqual(given.map((_, index) => `\${${index + 1}}`));
    expect(['$NAME', '$NAMESPACE', '$CONTEXT']).toEqual(expect.arrayContaining(given));
  }
});

test('the view has columns of the API server', async () => {
  const { views } = await read('views.yaml');
  const { columns, sortColumn } = views[`${API_VERSION}/${featureFlag.plural}`];
  const printed = ['Namespace', 'Name', ...featureFlag.columns.map(({ name }) => name)].map((name) =>
    name.toUpperCase(),
  );
  expect(printed).toEqual(expect.arrayContaining([...columns, sortColumn.split(':')[0]]));
});
