/** The permissions that a write of a whole flag needs. */
import { expect, test } from 'vitest';
import { permissionsToChange } from '../../../../../src/domain/flag/edit/permissions-to-change.ts';
import type { FlagEnvironment, FlagSpec } from '../../../../../src/schema/feature-flag.ts';

const plain = { name: 'default' };
const there = (environment: FlagEnvironment): FlagSpec => ({ environments: { production: environment } });
const variants = [{ name: 'blue' }];

const rows: readonly (readonly [string, FlagSpec | undefined, FlagSpec, readonly string[]])[] = [
  ['the same', there({ enabled: true }), there({ enabled: true }), []],
  ['null instead of nothing', { environments: { production: null } }, {}, []],
  ['a description', {}, { description: 'new' }, ['UPDATE_FEATURE']],
  ['a tag that is gone', { tags: ['simple:a'] }, {}, ['UPDATE_FEATURE']],
  ['archived', {}, { archived: true }, ['DELETE_FEATURE']],
  ['revived', { archived: true }, { archived: false }, ['UPDATE_FEATURE']],
  ['a dependency', {}, { dependencies: [{ feature: 'parent' }] }, ['UPDATE_FEATURE_DEPENDENCY']],
  ['variants', {}, { variants }, ['UPDATE_FEATURE_VARIANTS']],
  ['a switch', there({}), there({ enabled: true }), ['UPDATE_FEATURE_ENVIRONMENT production']],
  ['a window', there({ activeUntil: '2030-01-01T00:00:00Z' }), {}, ['UPDATE_FEATURE_ENVIRONMENT production']],
  ['variants there', {}, there({ variants }), ['UPDATE_FEATURE_ENVIRONMENT_VARIANTS production']],
  [
    'strategies',
    there({ strategies: { gone: plain, changed: plain, same: plain } }),
    there({ strategies: { changed: { name: 'remoteAddress' }, same: plain, new: plain } }),
    ['DELETE', 'UPDATE', 'CREATE'].map((word) => `${word}_FEATURE_STRATEGY production`),
  ],
  [
    'a new flag',
    undefined,
    { description: 'new', environments: { production: { enabled: true, strategies: { all: plain } } } },
    ['UPDATE_FEATURE', 'UPDATE_FEATURE_ENVIRONMENT production', 'CREATE_FEATURE_STRATEGY production'],
  ],
  [
    'a name from every object',
    there({}),
    { environments: { constructor: { enabled: true } } },
    ['UPDATE_FEATURE_ENVIRONMENT constructor'],
  ],
];

test.each(rows)('%s', (_, before, after, wanted) => {
  const found = permissionsToChange({ before, after }).map(({ permission, environment }) =>
    environment === undefined ? permission : `${permission} ${environment}`,
  );
  expect(found.toSorted()).toEqual([...wanted].sort());
});
