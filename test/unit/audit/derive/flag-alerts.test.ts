/**
 * The history of alerts that changed a flag: each action with its own generation, even if versions in between were
 * missed.
 */
import { expect, test } from 'vitest';
import { type AlertAction, withAlertAction } from '../../../../src/schema/alert-action.ts';
import { featureFlag } from '../../../../src/schema/feature-flag.ts';
import { flagObject } from '../../domain/objects.ts';
import { derive } from './derive-world.ts';

const action = (generation: number): AlertAction => ({
  ...{ did: 'off', environment: 'production', fingerprint: 'a1', startsAt: '2026-03-01T09:30:00.000Z' },
  ...{ alert: 'Errors', link: 'http://prometheus/graph', at: '2026-03-01T09:31:00.000Z', generation },
});

function version(generation: number, actions: readonly number[]) {
  const annotations = actions.reduce(
    (before: Readonly<Record<string, string>>, one) => withAlertAction(before, action(one)),
    {},
  );
  const environments = { production: { enabled: generation % 2 === 1, strategies: { all: { name: 'default' } } } };
  return flagObject('home/f', { environments }, { generation, annotations });
}

const recorded = (before: ReturnType<typeof version>, after: ReturnType<typeof version>) =>
  derive({ resource: featureFlag.plural, before, after }).flatMap(({ type, subject, data }) =>
    type === 'feature-alert-action' ? [{ subject, data }] : [],
  );

test('an action is recorded with the step that made its generation, and with no other', () => {
  const data = { alert: 'Errors', link: 'http://prometheus/graph', action: 'off' };
  expect(recorded(version(1, []), version(2, [2]))).toMatchObject([{ subject: '2', data }]);
  expect(recorded(version(2, [2]), version(3, [2]))).toEqual([]);
  expect(recorded(version(1, []), version(4, [2, 4])).map(({ subject }) => subject)).toEqual(['2', '4']);
});

test('an action of a later generation is not recorded', () => {
  expect(recorded(version(1, []), version(2, [7]))).toEqual([]);
});
