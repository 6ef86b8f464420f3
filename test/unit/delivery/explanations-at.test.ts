/** Explanations for another time match the evaluation at that time. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCatalog } from '../../../src/catalog/catalog.ts';
import { createAnswers } from '../../../src/delivery/answers.ts';
import { createCatalogOrigin } from '../../../src/delivery/catalog-origin.ts';
import { createEvaluations } from '../../../src/delivery/evaluations.ts';
import { createExplanations } from '../../../src/delivery/explanations.ts';
import { turnsOfRequest } from '../../../src/runtime/turns.ts';
import { decidingFieldsOf } from '../../../src/wire/playground/deciding-fields.ts';
import { presentEvaluation } from '../../../src/wire/playground/playground.ts';
import { aWorld } from '../catalog/world.ts';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 10, 22);
const dayText = (day: number) => new Date(NOW + day * DAY_MS).toISOString();

const everyone = { strategies: { all: { name: 'default' } } };
const steps = [{ rollout: 30, for: '24h' }, { rollout: 60, for: '48h' }, { rollout: 100 }];
const ramped = (ramp: object) => ({
  strategies: {
    gradual: { name: 'flexibleRollout', parameters: { rollout: 5, stickiness: 'userId' }, ramp: { steps, ...ramp } },
  },
});
const environments: Readonly<Record<string, object>> = {
  plain: everyone,
  sale: { ...everyone, activeFrom: dayText(2), activeUntil: dayText(4) },
  over: { ...everyone, activeUntil: dayText(-3) },
  rising: ramped({ startAt: dayText(-1) }),
  paused: ramped({ startAt: dayText(-1), pausedAt: dayText(1) }),
  both: { ...ramped({ startAt: dayText(1) }), activeFrom: dayText(3) },
  broken: { activeFrom: dayText(1), strategies: { odd: { name: 'no-such-type' } } },
};
const names = [...Object.keys(environments), 'child'];
const scope = { environment: 'production', projects: ['shop'] };

/** A running operator whose clock says `now`. */
function running(now: number) {
  const world = aWorld();
  world.project('home/shop');
  for (const [name, production] of Object.entries(environments)) {
    world.flag(`home/${name}`, { environments: { production: { enabled: true, ...production } } });
  }
  world.flag('home/child', {
    environments: { production: { enabled: true, ...everyone } },
    dependencies: [{ feature: 'sale' }],
  });
  const catalog = createCatalog(world.caches, () => now, { home: 'home' });
  const evaluations = createEvaluations(createCatalogOrigin(catalog), () => 0.5);
  const toggles = () =>
    createAnswers(evaluations, () => now).toggles.all({ scope, context: { userId: '7' }, turn: turnsOfRequest() });
  const explainAt = (at: number) => {
    const explain = createExplanations({ catalog, evaluations }, at);
    return names.map((name) => {
      const explained = explain(name, scope, { userId: '7' });
      if (!explained) throw new Error(name);
      const fields = decidingFieldsOf(explained).map(({ keys }) => keys.slice(2).join('.'));
      const { enabled, why } = presentEvaluation(explained, {}, { readsSegment: () => true, fields: null });
      return { name, enabled, why, fields };
    });
  };
  return { toggles, explainAt };
}

test('an explanation for a time is that of an operator at that time, and changes nothing for SDKs', async () => {
  const present = running(NOW);
  const before = await present.toggles();
  const times = fc.integer({ min: -6 * 24, max: 6 * 24 }).map((hours) => NOW + (hours * DAY_MS) / 24);
  const property = fc.property(times, (time) => {
    expect(present.explainAt(time)).toEqual(running(time).explainAt(time));
  });
  fc.assert(property);
  expect(await present.toggles()).toEqual(before);
});

test('windows and ramps decide, and are named with their fields', () => {
  const at = (day: number) => {
    const all = running(NOW).explainAt(NOW + day * DAY_MS);
    return (name: string) => {
      const found = all.find((one) => one.name === name);
      return [found?.why.text, found?.fields];
    };
  };
  expect(at(0)('sale')).toEqual(['Off: the window in "production" opens at 2026-11-24T00:00:00.000Z.', ['activeFrom']]);
  expect(at(3)('sale')[1]).toEqual(['enabled', 'strategies.all.name']);
  expect(at(4)('sale')).toEqual([
    'Off: the window in "production" closed at 2026-11-26T00:00:00.000Z.',
    ['activeUntil'],
  ]);
  expect([at(3)('child')[0], at(4)('child')[0]]).toEqual([
    expect.stringMatching(/^On/),
    'Off: the parent "sale" is off, and must be on.',
  ]);
  const [text, fields] = at(2)('rising');
  expect(text).toMatch(/within the limit 100\.$/);
  expect(fields).toEqual(['enabled', 'strategies.gradual.ramp.steps', 'strategies.gradual.ramp.startAt']);
  expect(at(-2)('rising')[1]).toEqual(['strategies.gradual.parameters.rollout']);
  expect(at(9)('paused')[0]).toMatch(/the limit 60\.$/);
  expect(at(0)('broken')[1]).toEqual(['strategies.odd.name']);
});
