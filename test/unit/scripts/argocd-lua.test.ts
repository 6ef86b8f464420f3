/** The scripts for Argo CD use only what its Lua has: the language of 5.1, a few functions, tables. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import luaparse from 'luaparse';
import { describe, expect, test } from 'vitest';
import { argocdCustomizations } from '../../../scripts/argocd-customizations.ts';

const FOLDER = join(import.meta.dirname, '../../../config/argocd/resource_customizations');
const scripts = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.lua'));

/** The globals that both Argo CD and the tests give to a script. */
const GLOBALS = ['obj', 'actionParams', 'ipairs', 'pairs', 'type', 'tostring', 'tonumber', 'error', 'next', 'table'];
const TABLE = ['concat', 'insert', 'remove', 'sort'];

/** Returns the parts of a script that are not in the language, or not in the libraries. */
function complaints(text: string): readonly string[] {
  try {
    const { globals = [] } = luaparse.parse(text, { luaVersion: '5.1', scope: true, comments: false }) as Parsed;
    const unknown = globals.map(({ name }) => name).filter((name) => !GLOBALS.includes(name));
    const members = [...text.matchAll(/\btable\.(\w+)/g)].flatMap(([, name = '']) =>
      TABLE.includes(name) ? [] : [name],
    );
    // Text has no methods in that Lua.
    const methods = [...text.replace(/--.*/g, '').matchAll(/[\w)\]"']:(\w+)\(/g)].map(([, name = '']) => `:${name}`);
    return [...unknown, ...members, ...methods];
  } catch (error) {
    return [String(error)];
  }
}

interface Parsed {
  readonly globals?: readonly { readonly name: string }[];
}

test.each(scripts)('%s', (path) => {
  expect(complaints(readFileSync(join(FOLDER, path), 'utf8'))).toEqual([]);
});

test('each script is in the installed ConfigMap', () => {
  const shipped = argocdCustomizations().replaceAll(/^ +/gm, '');
  expect(scripts.length).toBeGreaterThan(7);
  for (const path of scripts) {
    expect(shipped, path).toContain(readFileSync(join(FOLDER, path), 'utf8').replaceAll(/^ +/gm, ''));
  }
});

describe('the test detects', () => {
  test.each([
    ['integer division', 'return 7 // 2'],
    ['a jump', 'goto on ::on:: return obj'],
    ['an operator on bits', 'return 1 | 2'],
    ['an attribute of a local', 'local x <const> = 1 return x'],
    ['a library that Argo CD does not open', 'return string.format("%d", 1)'],
    ['a function of a later Lua', 'return table.unpack({})'],
    ['a method of a text', 'return ("x"):upper()'],
    ['a global of its own', 'x = 1 return x'],
  ])('%s', (_, text) => {
    expect(complaints(text)).not.toEqual([]);
  });
});
