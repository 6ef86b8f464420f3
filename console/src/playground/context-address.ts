/** The question of an evaluation in the address, so that a link asks it again. */
import { newKey } from '../editor/draft/keyed.ts';
import { type ContextEntries, hasValue } from './context-entries.ts';
import type { NamedField } from './fields-of-flag.ts';

const PREFIX = 'context.';

/** The entries of the address, then those of the fields that the address leaves out. */
export function entriesIn(search: URLSearchParams, fields: readonly NamedField[]): ContextEntries {
  const given = [...search].flatMap(([key, value]) =>
    key.startsWith(PREFIX) ? [[key.slice(PREFIX.length), value]] : [],
  );
  const names = new Set(given.map(([name]) => name));
  const others = fields.filter(({ name }) => !names.has(name));
  return [
    ...given.map(([name = '', value = '']) => ({ key: newKey(), name, value, example: '' })),
    ...others.map(({ name, example }) => ({ key: newKey(), name, value: '', example })),
  ];
}

/** The parameters of the address for the entries that have a value. */
export function parametersOf(entries: ContextEntries): readonly [string, string][] {
  return entries.filter(hasValue).map(({ name, value }) => [`${PREFIX}${name.trim()}`, value]);
}

export function asksQuestion(search: URLSearchParams): boolean {
  return [...search.keys()].some((key) => key.startsWith(PREFIX)) || search.has('at') || search.has('environment');
}
