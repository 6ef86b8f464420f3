/** Explanations of flags have the outcome that SDKs receive, with each strategy of the custom resource. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCatalog } from '../../../src/catalog/catalog.ts';
import { createAnswers } from '../../../src/delivery/answers.ts';
import { createCatalogOrigin } from '../../../src/delivery/catalog-origin.ts';
import { createEvaluations } from '../../../src/delivery/evaluations.ts';
import { createExplanations } from '../../../src/delivery/explanations.ts';
import { compareText } from '../../../src/domain/identity/names.ts';
import type { ClientFeature, ClientStrategy } from '../../../src/evaluation/client-document.ts';
import { turnsOfRequest } from '../../../src/runtime/turns.ts';
import { frontendToggles } from '../../../src/wire/client/toggle.ts';
import { decidingFieldsOf } from '../../../src/wire/playground/deciding-fields.ts';
import type { ExplainedFlag } from '../../../src/wire/playground/explained-flag.ts';
import {
  presentEvaluation,
  presentPlaygroundFeature,
  wireEvaluation,
} from '../../../src/wire/playground/playground.ts';
import { type Asked, asked } from '../../support/evaluation/any-document.ts';
import { readTagged } from '../../support/read-tagged.ts';
import { aWorld } from '../catalog/world.ts';

const NOW = Date.UTC(2026, 10, 22);
const shown = { readsSegment: () => true, fields: null };

/** The spec of the flag, without what would keep the flag off. Each strategy comes after one that is disabled. */
function specOf({ name, enabled, strategies, variants, dependencies = [] }: ClientFeature): object {
  const last: ClientStrategy = {
    name: 'flexibleRollout',
    parameters: { rollout: '30', stickiness: 'userId' },
    constraints: [],
    variants: [],
  };
  const entries = [...strategies, last].flatMap(({ parameters, segments = [], ...strategy }, index) => [
    [`${index}a`, { name: 'default', disabled: true }],
    [`${index}b`, { ...strategy, parameters: asStored(parameters), segments: segments.map((id) => `segment-${id}`) }],
  ]);
  return {
    environments: { production: { enabled, strategies: Object.fromEntries(entries) } },
    variants: variants.map(({ weight: _, ...one }) => one),
    dependencies: dependencies.filter(({ feature }) => feature.startsWith('parent') && feature !== name),
  };
}

function asStored({ rollout, ...parameters }: ClientStrategy['parameters']): object {
  return { ...parameters, ...(rollout !== undefined && rollout !== 'none' && { rollout }) };
}

function deliver({ document }: Pick<Asked, 'document'>) {
  const world = aWorld();
  world.project('home/shop');
  world.strategy('home/no-such-strategy', { name: 'noSuchStrategy' });
  for (const { id, constraints } of document.segments) {
    world.segment(`home/segment-${id}`, { constraints });
    world.number(`Segment home/segment-${id}`, id);
  }
  for (const feature of document.features) world.flag(`home/${feature.name}`, specOf(feature));
  const catalog = createCatalog(world.caches, () => NOW, { home: 'home' });
  const evaluations = createEvaluations(createCatalogOrigin(catalog), () => 0.5);
  return {
    toggles: createAnswers(evaluations, () => NOW).toggles,
    explain: createExplanations({ catalog, evaluations }, NOW),
  };
}

/** The toggle of the frontend API that follows from the playground's answer. */
function toggleOf(explained: ExplainedFlag) {
  const { name, isEnabled, variant, strategies } = presentPlaygroundFeature(explained, shown);
  const { why } = wireEvaluation.parse(presentEvaluation(explained, {}, shown));
  expect(why.text).toMatch(isEnabled ? /^On: / : /^Off: /);
  const applied = why.strategies.find(({ key }) => key === why.strategy);
  if (isEnabled) expect(strategies.data.find(({ result }) => result.enabled === true)?.id).toBe(applied?.id ?? '');
  expect(decidingFieldsOf(explained)).not.toEqual([]);
  return { name, enabled: isEnabled, variant, impressionData: false };
}

const scope = { environment: 'production', projects: ['shop'] };

/** The answers for browsers and those of the playground, for all flags by name and each context. */
async function answersTo({ document, contexts }: Asked) {
  const { toggles, explain } = deliver({ document });
  const names = document.features.map(({ name }) => name).toSorted(compareText);
  return Promise.all(
    contexts.map(async (context) => {
      const question = { scope, context: { ...context, environment: 'production' }, turn: turnsOfRequest() };
      const { toggles: served } = frontendToggles.parse(readTagged(await toggles.all(question)));
      return { served, played: names.flatMap((name) => explain(name, scope, context) ?? []).map(toggleOf) };
    }),
  );
}

test('the playground and the frontend API agree on random flags and contexts', async () => {
  const outcomes: string[] = [];
  const property = fc.asyncProperty(asked, async (one) => {
    for (const { served, played } of await answersTo(one)) {
      expect(played).toEqual(served);
      outcomes.push(...served.map(({ enabled, variant }) => `${enabled} ${variant.enabled}`));
    }
  });
  await fc.assert(property, { numRuns: 75 });
  const counts = ['false false', 'true false', 'true true'].map((one) => outcomes.filter((is) => is === one).length);
  expect(Math.min(...counts), `${counts}`).toBeGreaterThan(10);
});
