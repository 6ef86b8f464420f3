/** The rules of the schemas, applied to stored objects. The integration tests apply them in the API server. */
import { describe, expect, test } from 'vitest';
import { kindsByName } from '../../../src/schema/kinds.ts';
import { rowsByKind, titled } from './rule-rows.ts';

describe.each(rowsByKind)('%s', (name, { always, whenWritten }) => {
  const reads = (spec: unknown) => kindsByName[name].spec.safeParse(spec ?? {}).success;

  test.each(always.map(titled))('%s %s', (_verb, _title, { spec, refused }) => {
    expect(reads(spec)).toBe(refused === undefined);
  });

  test.each(whenWritten.map((row) => [row.title, row] as const))('a stored one with %s is read', (_title, { spec }) => {
    expect(reads(spec)).toBe(true);
  });
});
