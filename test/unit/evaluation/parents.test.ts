/** The evaluation of parents: once for all children of a request. */
import { expect, test } from 'vitest';
import type { ClientFeature } from '../../../src/evaluation/client-document.ts';
import { type CompiledFlag, compileFlag } from '../../../src/evaluation/compile.ts';
import { aSituation } from '../../support/evaluation/answers.ts';

function aFlag(name: string, rest: Partial<ClientFeature> = {}): CompiledFlag {
  const feature = { name, type: 'release', enabled: true, project: 'default', stale: false, impressionData: false };
  return compileFlag({ ...feature, description: null, strategies: [], variants: [], ...rest }, { segments: new Map() });
}

test('all children see the same result of a parent that depends on chance', () => {
  const half = { name: 'flexibleRollout', parameters: { rollout: '50', stickiness: 'random' } };
  const parent = aFlag('parent', { strategies: [{ ...half, constraints: [], variants: [] }] });
  const children = Array.from({ length: 40 }, (_, number) =>
    aFlag(`child-${number}`, { dependencies: [{ feature: 'parent' }] }),
  );
  let draws = 0;
  const random = () => {
    draws += 1;
    return draws % 2;
  };
  const situation = aSituation(new Map([['parent', parent]]), {}, { random: () => random() * 0.9 });
  const results = children.map((child) => child.evaluate(situation).enabled);
  expect(new Set(results).size).toBe(1);
  expect(draws).toBe(1);
});
