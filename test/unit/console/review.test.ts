/** The review of a change: the lines that differ, their fields, and the owners of the fields. */
import { describe, expect, test } from 'vitest';
import { differenceOf, shortened } from '../../../console/src/editor/review/difference.ts';
import { changedPaths, fieldsTouched, pathsOfLines } from '../../../console/src/editor/review/fields-touched.ts';
import { manifestText } from '../../../src/wire/admin/manifest.ts';

const text = (before: string, after: string) => differenceOf(before, after).map(({ sign, text: line }) => sign + line);

describe('the difference', () => {
  test.each([
    ['a\nb\nc\n', 'a\nx\nc\n', [' a', '-b', '+x', ' c']],
    ['a\nb\n', 'a\nb\nc\n', [' a', ' b', '+c']],
    ['a\nb\nc\n', 'c\n', ['-a', '-b', ' c']],
    ['', 'a\n', ['+a']],
    ['a\na\nb\n', 'a\nb\n', [' a', '-a', ' b']],
    ['a\nb\nc\nd\n', 'x\nb\ny\nd\n', ['-a', '+x', ' b', '-c', '+y', ' d']],
  ])('of %j and %j', (before, after, expected) => {
    expect(text(before, after)).toEqual(expected);
  });

  test('of long texts without a common line is found at once', () => {
    const lines = (letter: string) => Array.from({ length: 5_000 }, (_, index) => `${letter}${index}`).join('\n');
    expect(differenceOf(lines('a'), lines('b'))).toHaveLength(10_000);
  });

  test('is shown with the lines around it', () => {
    const before = Array.from({ length: 20 }, (_, index) => `line ${index}`).join('\n');
    expect(shortened(differenceOf(before, before.replace('line 10\n', '')))).toEqual([
      { sign: '…', lines: 7 },
      ...[7, 8, 9].map((index) => ({ sign: ' ', text: `line ${index}` })),
      { sign: '-', text: 'line 10' },
      ...[11, 12, 13].map((index) => ({ sign: ' ', text: `line ${index}` })),
      { sign: '…', lines: 6 },
    ]);
  });
});

const manifest = (spec: object) => manifestText([{ apiVersion: 'v1', kind: 'FeatureFlag', spec }]);
const strategy = { name: 'default', constraints: [{ contextName: 'userId', operator: 'IN', values: ['a'] }] };
const flag = (one: object, rest: object = {}) =>
  manifest({ ...rest, environments: { 'odd: "name"': { strategies: { one } }, empty: {} } });
const ONE = 'spec.environments["odd: \\"name\\""].strategies.one';

describe('the fields of a change', () => {
  test('have the paths that the API uses for their owners', () => {
    expect(changedPaths(flag(strategy), flag({ ...strategy, title: 'x' }))).toEqual([`${ONE}.title`]);
    const other = { ...strategy, constraints: [{ contextName: 'userId', operator: 'IN', values: ['b'] }] };
    expect(changedPaths(flag(strategy), flag(other))).toEqual([`${ONE}.constraints`]);
  });

  test('of several lines are one field, whatever the lines contain', () => {
    const long = (last: string) => flag(strategy, { description: `first\nenabled: true\n\n${last}` });
    expect(changedPaths(long('a: b'), long('a: c'))).toEqual(['spec.description']);
  });

  test('are no maps', () => {
    expect(pathsOfLines(flag(strategy))).not.toContain('spec.environments');
    expect(pathsOfLines(flag(strategy))).not.toContain('spec.environments.empty');
  });

  test('are shown with their owners; new ones have none', () => {
    const owner = { manager: 'argocd', operation: 'Apply', lastWrite: null, protected: true } as const;
    const field = { path: `${ONE}.constraints`, protected: true, owners: [owner] };
    const far = { path: `${ONE}.constraintsOfAnother`, protected: true, owners: [owner] };
    expect(fieldsTouched([`${ONE}.constraints`, 'spec.stale'], [field, far])).toEqual([
      field,
      { path: 'spec.stale', protected: false, owners: [] },
    ]);
    const entry = { ...field, path: `${ONE}.constraints[0]` };
    expect(fieldsTouched([`${ONE}.constraints`], [entry])).toEqual([entry]);
  });
});
