/** The entry that changed a field last, among entries of one object. */
import { expect, test } from 'vitest';
import type { NewEntry } from '../../../../src/domain/history/entry.ts';
import { lastChangeOf } from '../../../../src/domain/history/last-change.ts';
import { anEntry } from '../../../support/archive/an-entry.ts';

type Change = Partial<NewEntry>;

const production = { environment: 'production' };
const ofHalf = { ...production, subject: 'half' };
const created: Change = { type: 'feature-created' };
const on: Change = { type: 'feature-environment-enabled', ...production };
const added: Change = { type: 'feature-strategy-add', ...ofHalf };
const updated = (preData: NewEntry['data'], data: NewEntry['data']): Change => {
  return { type: 'feature-strategy-update', ...ofHalf, preData, data };
};
const parameters = (rollout: string, groupId = 'g') => ({ parameters: { rollout, groupId } });
const SWITCH = ['environments', 'production', 'enabled'];
const ROLLOUT = ['environments', 'production', 'strategies', 'half', 'parameters', 'rollout'];

test.each<[what: string, keys: readonly string[], newestFirst: readonly Change[], found: number | undefined]>([
  ['the switch of the environment', SWITCH, [{ ...on, environment: 'development' }, on, created], 1],
  ['a new flag', SWITCH, [added, created], 1],
  [
    'the parameter, not one beside it',
    ROLLOUT,
    [updated(parameters('5'), parameters('5', 'h')), updated(parameters('1'), parameters('5')), added],
    1,
  ],
  ['the strategy that came with the parameter', ROLLOUT, [{ ...added, subject: 'other' }, on, added, created], 2],
  ['a parameter that is gone', ROLLOUT, [updated(parameters('5'), { parameters: {} }), added], 0],
  [
    'an update without content, which may be it',
    ROLLOUT,
    [updated(null, { abridged: { bytes: 9 } }), added],
    undefined,
  ],
  ['no entry', ROLLOUT, [on], undefined],
  [
    'the variants of the flag',
    ['variants'],
    [{ type: 'feature-environment-variants-updated', ...production }, { type: 'feature-variants-updated' }],
    1,
  ],
  [
    'the variants of the environment',
    ['environments', 'production', 'variants'],
    [{ type: 'feature-variants-updated' }, { type: 'feature-environment-variants-updated', ...production }],
    1,
  ],
  ['a parent that was removed', ['dependencies'], [on, { type: 'feature-dependency-removed', subject: 'parent' }], 1],
  [
    'a field that only the spec shows',
    SWITCH,
    [
      {
        type: 'feature-updated',
        preData: { spec: {} },
        data: { spec: { environments: { production: { enabled: true } } } },
      },
      on,
    ],
    0,
  ],
  [
    'the constraints of a segment',
    ['constraints'],
    [
      { type: 'segment-updated', preData: { id: null, constraints: [] }, data: { id: 1, constraints: [] } },
      { type: 'segment-updated', preData: { constraints: [] }, data: { constraints: [1] } },
      { type: 'segment-created' },
    ],
    1,
  ],
])('%s', (_, keys, newestFirst, found) => {
  const entries = newestFirst.map((change, index) => ({ ...anEntry(`${index}`, change), id: index }));
  expect(lastChangeOf(keys, entries)?.id).toBe(found);
});
