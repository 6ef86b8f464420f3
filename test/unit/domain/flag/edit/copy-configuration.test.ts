/** The configuration of one environment in another one. */
import { expect, test } from 'vitest';
import { copyConfiguration } from '../../../../../src/domain/flag/edit/copy-configuration.ts';
import type { FlagEnvironment } from '../../../../../src/schema/feature-flag.ts';
import { dependents } from '../../dependents.ts';
import { flagObject } from '../../objects.ts';
import { refusal } from '../../refusal.ts';

const place = { environment: 'production', flagContext: dependents() };
const steps = [{ rollout: 5, for: '24h' }, { rollout: 100 }];
const rising = { name: 'flexibleRollout', parameters: { rollout: 0 } };
const staging: FlagEnvironment = {
  enabled: true,
  activeFrom: '2026-01-01T00:00:00Z',
  strategies: {
    rising: { ...rising, ramp: { steps, startAt: '2026-01-01T00:00:00Z', pausedAt: '2026-01-02T00:00:00Z' } },
    staff: { name: 'default', segments: ['staff'] },
  },
  variants: [{ name: 'blue' }],
};
const copied = {
  activeFrom: '2026-01-01T00:00:00Z',
  strategies: { rising: { ...rising, ramp: { steps } }, staff: { name: 'default', segments: ['staff'] } },
  variants: [{ name: 'blue' }],
};
const old: FlagEnvironment = { activeUntil: '2030-01-01T00:00:00Z', strategies: { old: { name: 'default' } } };

function copy(from: FlagEnvironment | undefined, to: FlagEnvironment | undefined) {
  const environments = { ...(from && { development: from }), ...(to && { production: to }) };
  return copyConfiguration(flagObject('home/flag', { environments }), place, 'development').environments?.[
    'production'
  ];
}

test.each<[string, FlagEnvironment | undefined, FlagEnvironment | undefined, object]>([
  ['an environment without configuration gets no switch', staging, undefined, copied],
  ['a switch that is off stays off', staging, { ...old, enabled: false }, { ...copied, enabled: false }],
  ['a switch that is on stays on', staging, { ...old, enabled: true }, { ...copied, enabled: true }],
  ['without strategies it goes off', undefined, { ...old, enabled: true }, { enabled: false }],
  ['a second copy changes nothing', staging, { ...copied, enabled: true }, { ...copied, enabled: true }],
])('%s', (_, from, to, wanted) => {
  expect(copy(from, to)).toEqual(wanted);
});

test.each([
  ['production', {}, /^invalid: .*copied to itself/],
  ['nowhere', {}, /^not-found: .*"nowhere"/],
  ['development', { archived: true }, /^archived: /],
  ['development', { environments: { development: { strategies: { a: { name: 5 } } } } }, /development/],
])('is refused: from %s, %o', (from, more, wanted) => {
  expect(refusal(() => copyConfiguration(flagObject('home/flag', more), place, from))).toMatch(wanted);
});
