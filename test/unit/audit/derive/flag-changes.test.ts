/** The events of a change of a flag, and their order. */
import { describe, expect, test } from 'vitest';
import { flagObject } from '../../domain/objects.ts';
import { auditEventsOf, inShort } from './derive-world.ts';

const flags = auditEventsOf('featureflags');
const recordedOf = (before: object, after: object) =>
  flags.changed(flagObject('home/f', before), flagObject('home/f', after)).map(inShort);

const everyone = { name: 'default' };
const some = { name: 'flexibleRollout', parameters: { rollout: 25 } };
const on = (strategies: object, more: object = {}) => ({
  environments: { production: { enabled: true, strategies, ...more } },
});
const off = (strategies: object, more: object = {}) => ({
  environments: { production: { enabled: false, strategies, ...more } },
});
const disabled = { ...everyone, disabled: true };

describe('a change of a flag is recorded as', () => {
  const rows: readonly { name: string; before: object; after: object; want: readonly string[] }[] = [
    { name: 'nothing, where nothing changed', before: { stale: true }, after: { stale: true }, want: [] },
    {
      name: 'nothing, where only nulls went',
      before: { environments: { production: null }, description: null },
      after: { environments: {} },
      want: [],
    },
    {
      name: 'new metadata',
      before: {},
      after: { description: 'd', type: 'experiment', impressionData: true },
      want: ['feature-metadata-updated'],
    },
    {
      name: 'new metadata, then stale',
      before: {},
      after: { stale: true },
      want: ['feature-metadata-updated', 'feature-stale-on'],
    },
    {
      name: 'new metadata, then no longer stale',
      before: { stale: true },
      after: {},
      want: ['feature-metadata-updated', 'feature-stale-off'],
    },
    {
      name: 'archived, and not as off',
      before: on({ a: everyone }),
      after: { archived: true, ...on({ a: everyone }) },
      want: ['feature-archived'],
    },
    {
      name: 'archived, where the same write switches it off',
      before: on({ a: everyone }),
      after: { archived: true, ...off({ a: everyone }) },
      want: ['feature-archived'],
    },
    {
      name: 'revived, and not as off, where the same write switches it off',
      before: { archived: true, ...on({ a: everyone }) },
      after: off({ a: everyone }),
      want: ['feature-revived'],
    },
    {
      name: 'revived, then on, where the switch was left on',
      before: { archived: true, ...on({ a: everyone }) },
      after: on({ a: everyone }),
      want: ['feature-revived', 'feature-environment-enabled in production'],
    },
    {
      name: 'tags added and taken off',
      before: { tags: ['simple:aa', 'simple:bb'] },
      after: { tags: ['simple:bb', 'team:cc'] },
      want: ['feature-tagged team:cc', 'feature-untagged simple:aa'],
    },
    {
      name: 'dependencies added and removed; one that changes is both',
      before: { dependencies: [{ feature: 'gone' }, { feature: 'kept' }, { feature: 'other' }] },
      after: {
        dependencies: [{ feature: 'kept', enabled: true }, { feature: 'other', enabled: false }, { feature: 'new' }],
      },
      want: [
        'feature-dependency-removed gone',
        'feature-dependency-removed other',
        'feature-dependency-added other',
        'feature-dependency-added new',
      ],
    },
    {
      name: 'its strategy, then on',
      before: {},
      after: on({ a: everyone }),
      want: ['feature-strategy-add in production a', 'feature-environment-enabled in production'],
    },
    {
      name: 'on',
      before: off({ a: everyone }),
      after: on({ a: everyone }),
      want: ['feature-environment-enabled in production'],
    },
    {
      name: 'a changed strategy, where a segment goes',
      before: off({ a: { ...everyone, segments: ['vip'] } }),
      after: off({ a: everyone }),
      want: ['feature-strategy-update in production a'],
    },
    {
      name: 'an update of the flag, where the segment that goes does not exist',
      before: off({ a: { ...everyone, segments: ['to come'] } }),
      after: off({ a: everyone }),
      want: ['feature-updated'],
    },
    {
      name: 'off',
      before: on({ a: everyone }),
      after: off({ a: everyone }),
      want: ['feature-environment-disabled in production'],
    },
    {
      name: 'a changed strategy, then off, where it was the last that was not disabled',
      before: on({ a: everyone }),
      after: on({ a: disabled }),
      want: ['feature-strategy-update in production a', 'feature-environment-disabled in production'],
    },
    {
      name: 'off, then a removed strategy, where it was the last that was not disabled',
      before: on({ a: everyone, b: disabled }),
      after: on({ b: disabled }),
      want: ['feature-environment-disabled in production', 'feature-strategy-remove in production a'],
    },
    {
      name: 'a removed strategy only, where another one is left',
      before: on({ a: everyone, b: everyone }),
      after: on({ b: everyone }),
      want: ['feature-strategy-remove in production a'],
    },
    {
      name: 'off and without strategies, where the environment is dropped as a whole',
      before: on({ a: everyone, b: some }, { variants: [{ name: 'v' }] }),
      after: {},
      want: [
        'feature-environment-variants-updated in production',
        'feature-environment-disabled in production',
        'feature-strategy-remove in production a',
        'feature-strategy-remove in production b',
      ],
    },
    {
      name: 'all that an environment brings',
      before: {},
      after: on({ a: everyone, b: some }, { variants: [{ name: 'v' }] }),
      want: [
        'feature-environment-variants-updated in production',
        'feature-strategy-add in production a',
        'feature-strategy-add in production b',
        'feature-environment-enabled in production',
      ],
    },
    {
      name: 'one new order, and no update of those that only moved',
      before: off({ a: everyone, b: { ...everyone, sortOrder: 1 }, c: { ...everyone, sortOrder: 2 } }),
      after: off({ a: { ...everyone, sortOrder: 2 }, b: { ...some, sortOrder: 1 }, c: everyone }),
      want: ['feature-strategy-update in production b', 'strategy-order-changed in production'],
    },
    {
      name: 'an update, where another sortOrder leaves the order as it is',
      before: off({ a: everyone, b: { ...everyone, sortOrder: 1 } }),
      after: off({ a: everyone, b: { ...everyone, sortOrder: 7 } }),
      want: ['feature-strategy-update in production b'],
    },
    {
      name: 'no new order, where a strategy comes in between',
      before: off({ a: everyone, c: everyone }),
      after: off({ a: everyone, b: everyone, c: everyone }),
      want: ['feature-strategy-add in production b'],
    },
    {
      name: 'other variants, once, where environments had lists of their own',
      before: { variants: [{ name: 'v' }], ...off({}, { variants: [{ name: 'w' }] }) },
      after: { variants: [{ name: 'x' }], ...off({}) },
      want: ['feature-variants-updated'],
    },
    {
      name: 'other variants of the environment, where only its own list goes',
      before: { variants: [{ name: 'v' }], ...off({}, { variants: [{ name: 'w' }] }) },
      after: { variants: [{ name: 'v' }], ...off({}) },
      want: ['feature-environment-variants-updated in production'],
    },
    {
      name: 'other variants of the flag and of the environment that gets its own',
      before: { variants: [{ name: 'v' }] },
      after: { variants: [{ name: 'x' }], ...off({}, { variants: [{ name: 'w' }] }) },
      want: ['feature-variants-updated', 'feature-environment-variants-updated in production'],
    },
    {
      name: 'an update of the flag, where the wire shows nothing of it',
      before: {},
      after: { environments: { production: { enabled: true } } },
      want: ['feature-updated'],
    },
    {
      name: 'an update of the flag, where a list is written that the environment had from the flag',
      before: { variants: [{ name: 'v' }] },
      after: { variants: [{ name: 'v' }], environments: { production: { variants: [{ name: 'v' }] } } },
      want: ['feature-updated'],
    },
    {
      name: 'an update of the flag, where a strategy says in words what it said without',
      before: off({ a: everyone }),
      after: off({ a: { ...everyone, disabled: false } }),
      want: ['feature-updated'],
    },
    {
      name: 'an update of the flag, where an archived one is switched',
      before: { archived: true, ...off({ a: everyone }) },
      after: { archived: true, ...on({ a: everyone }) },
      want: ['feature-updated'],
    },
    {
      name: 'an update of the flag, where a part cannot be read',
      before: { environments: {} },
      after: { environments: { production: { enabled: 'yes' } } },
      want: ['feature-updated'],
    },
  ];
  test.each(rows)('$name', ({ before, after, want }) => {
    expect(recordedOf(before, after)).toEqual(want);
  });
});

test('several changes are recorded in a fixed order, environment by environment', () => {
  const auditEvents = recordedOf(
    { tags: ['simple:aa'], ...on({ a: everyone }) },
    {
      stale: true,
      variants: [{ name: 'v' }],
      environments: {
        production: { enabled: false, strategies: { b: everyone } },
        development: { enabled: true, strategies: { c: everyone } },
      },
    },
  );
  expect(auditEvents).toEqual([
    'feature-metadata-updated',
    'feature-stale-on',
    'feature-variants-updated',
    'feature-untagged simple:aa',
    'feature-strategy-add in development c',
    'feature-environment-enabled in development',
    'feature-strategy-add in production b',
    'feature-environment-disabled in production',
    'feature-strategy-remove in production a',
  ]);
});
