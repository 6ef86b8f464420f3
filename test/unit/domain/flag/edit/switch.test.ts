/** The switch of a flag can be set to on only if it takes effect. */
import { describe, expect, test } from 'vitest';
import { disableIn, enableIn } from '../../../../../src/domain/flag/edit/switch.ts';
import { dependents } from '../../dependents.ts';
import { flagObject, projectObject } from '../../objects.ts';
import { refusal } from '../../refusal.ts';

const place = { environment: 'production', flagContext: dependents() };
const strategies = { all: { name: 'default' } };
const inProduction = (environment: object, more: object = {}) =>
  flagObject('home/flag', { ...more, environments: { production: environment, development: { strategies } } });

describe('on', () => {
  test('sets the switch and shares everything else', () => {
    const flag = inProduction({ strategies });
    const next = enableIn(flag, place);
    expect(next.environments?.['production']).toEqual({ enabled: true, strategies });
    expect(next.environments?.['development']).toBe(flag.spec.environments?.['development']);
  });

  test('changes nothing if it is on', () => {
    const flag = inProduction({ enabled: true, strategies });
    expect(enableIn(flag, place)).toBe(flag.spec);
  });

  test.each([
    ['no strategy', {}, {}, /^cannot-enable: .*no enabled strategy there/],
    [
      'all disabled',
      { strategies: { a: { name: 'default', disabled: true } } },
      {},
      /^cannot-enable: .*no enabled strategy/,
    ],
    ['an error there', { strategies: { a: { name: 'odd' } } }, {}, /^cannot-enable: .*no strategy type "odd"/],
    ['an error of the whole flag', { strategies }, { description: 5 }, /^cannot-enable: .*string/],
    ['archived', { strategies }, { archived: true }, /^archived: /],
  ])('is refused: %s', (_, environment, more, want) => {
    expect(refusal(() => enableIn(inProduction(environment, more), place))).toMatch(want);
  });

  test('is not refused because of an error elsewhere', () => {
    const flag = flagObject('home/flag', { environments: { production: { strategies }, moon: {} } });
    expect(enableIn(flag, place).environments?.['production']?.enabled).toBe(true);
  });

  test('fails for an environment that the project does not use', () => {
    const flagContext = dependents(projectObject('home/shop', { environments: ['development'] }));
    const attempt = () => enableIn(inProduction({ strategies }), { ...place, flagContext });
    expect(refusal(attempt)).toMatch(/^not-found: .*"production"/);
  });
});

describe('off', () => {
  test('needs only the switch', () => {
    const next = disableIn(inProduction({ enabled: true }), place);
    expect(next.environments?.['production']).toEqual({ enabled: false });
  });

  test.each([
    ['off already', { enabled: false, strategies }],
    ['never set', { strategies }],
  ])('changes nothing: %s', (_, environment) => {
    const flag = inProduction(environment);
    expect(disableIn(flag, place)).toBe(flag.spec);
  });

  test('of an archived flag is refused', () => {
    expect(refusal(() => disableIn(inProduction({ enabled: true }, { archived: true }), place))).toMatch(/^archived: /);
  });
});
