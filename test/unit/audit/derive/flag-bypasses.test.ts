/** The history of a bypassed freeze: with the step of its stamp, and with no other. */
import { expect, test } from 'vitest';
import { featureFlag } from '../../../../src/schema/feature-flag.ts';
import { bypassStamp } from '../../../../src/schema/freeze.ts';
import { stampKeys } from '../../../../src/schema/stamp.ts';
import { flagObject } from '../../domain/objects.ts';
import { derive } from './derive-world.ts';

const freezes = [{ environment: 'production', name: 'year-end', until: '2027-01-02T23:00:00.000Z' }];
const record = bypassStamp({ freezes, reason: 'Checkout fails' });

function version(generation: number, annotations: Readonly<Record<string, string>> = {}) {
  const environments = { production: { enabled: generation % 2 === 0, strategies: { all: { name: 'default' } } } };
  return flagObject('home/f', { environments }, { generation, annotations });
}
const stampOf = (generation: number) => ({ [stampKeys.by]: 'ada', [stampKeys.generation]: `${generation}`, ...record });
const recorded = (before: ReturnType<typeof version> | undefined, after: ReturnType<typeof version>) =>
  derive({ resource: featureFlag.plural, before, after }).filter(({ type }) => type === 'feature-freeze-bypassed');

test('a bypass is recorded with the change, or the creation, that its stamp belongs to', () => {
  const data = { name: 'year-end', until: '2027-01-02T23:00:00.000Z', reason: 'Checkout fails' };
  const wanted = [{ environment: 'production', featureName: 'f', data }];
  expect(recorded(version(1), version(2, stampOf(2)))).toMatchObject(wanted);
  expect(recorded(undefined, version(1, stampOf(1)))).toMatchObject(wanted);
});

test('a bypass is not recorded again with the status, nor with a change without this stamp', () => {
  expect(recorded(version(2, stampOf(2)), version(2, stampOf(2)))).toEqual([]);
  expect(recorded(version(2, stampOf(2)), version(3, stampOf(2)))).toEqual([]);
  expect(recorded(version(1), version(2, { ...stampOf(2), [stampKeys.bypassing]: '{"x":' }))).toEqual([]);
});
