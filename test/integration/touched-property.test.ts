/** The policy refuses exactly the changes of a flag that the operator holds to change what is in effect. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { refusedByFreeze } from '../../src/domain/flag/edit/change-in-freeze.ts';
import { isClusterError } from '../../src/errors.ts';
import type { FlagEnvironment, FlagSpec } from '../../src/schema/feature-flag.ts';
import { type ApprovalsWorld, startApprovals } from '../support/approvals-world.ts';
import { aFlag } from '../support/builders.ts';
import type { Stored } from '../support/stored.ts';

const RUNS = 200;
let world: ApprovalsWorld;

beforeAll(async () => {
  world = await startApprovals('touched-property');
});
afterAll(() => world?.stop());

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const or = <T>(value: fc.Arbitrary<T>) => fc.option(fc.option(value, { nil: null }), { nil: undefined });
const ramp = fc.record(
  {
    startAt: fc.constantFrom('2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'),
    pausedAt: maybe(fc.constantFrom('2026-01-02T00:00:00Z', '2026-01-03T00:00:00Z')),
    steps: fc.constantFrom([{ rollout: 100 }], [{ rollout: 20, for: '10h' }, { rollout: 100 }]),
  },
  { requiredKeys: ['startAt', 'steps'] },
);
const strategy = fc.oneof(
  fc.record({ name: fc.constant('default'), disabled: or(fc.boolean()), title: maybe(fc.constant('a')) }),
  fc.record({
    name: fc.constant('flexibleRollout'),
    disabled: or(fc.boolean()),
    parameters: fc.constant({ stickiness: 'default', groupId: 'x', rollout: 0 }),
    ramp: or(ramp),
  }),
);
const environment = fc.record({
  enabled: or(fc.boolean()),
  strategies: or(fc.dictionary(fc.constantFrom('a', 'b'), fc.option(strategy, { nil: null }), { maxKeys: 2 })),
  activeFrom: or(fc.constant('2026-01-01T00:00:00Z')),
  variants: or(fc.constantFrom([], [{ name: 'v', weight: 1000, weightType: 'variable', stickiness: 'default' }])),
});
const environments = fc.record({ development: or(environment), production: or(environment) });
const rest = {
  description: maybe(fc.constantFrom('one', 'two')),
  archived: or(fc.boolean()),
  variants: or(fc.constantFrom([], [{ name: 'w', weight: 1000, weightType: 'variable', stickiness: 'default' }])),
  dependencies: or(fc.constantFrom([], [{ feature: 'parent' }])),
};
const spec = fc.record({ project: fc.constant('shop'), ...rest, environments: or(environments) });

/** A few parts of one spec take the place of those of another, so that most changes are small. */
const change = fc
  .record({ before: spec, other: spec, takesRest: fc.subarray(Object.keys(rest), { maxLength: 1 }), part: fc.nat(5) })
  .map(({ before, other, takesRest, part }) => {
    const after = structuredClone(before) as Record<string, unknown>;
    for (const key of takesRest) after[key] = Reflect.get(other, key);
    mixProduction(after, other as Record<string, unknown>, part);
    return { before: withoutUndefined(before), after: withoutUndefined(after) };
  });

function mixProduction(after: Record<string, unknown>, other: Record<string, unknown>, part: number): void {
  const [here, there] = [productionOf(after), productionOf(other)];
  const keys = ['enabled', 'strategies', 'activeFrom', 'variants'] as const;
  const key = keys[part];
  if (here && there && key) Object.assign(here, { [key]: there[key] });
  else if (part === 4) after['environments'] = other['environments'];
}

function productionOf({ environments: all }: Record<string, unknown>): Partial<FlagEnvironment> | undefined {
  return (all as { production?: Partial<FlagEnvironment> | null } | null | undefined)?.production ?? undefined;
}

/** As the API server gets it. */
function withoutUndefined(value: unknown): FlagSpec {
  return JSON.parse(JSON.stringify(value));
}

test(`of ${RUNS} random changes the policy refuses those that the operator would refuse`, async () => {
  const { instance, admin, as, pathOf } = world;
  const counts = { refused: 0, allowed: 0 };
  let index = 0;
  const attempt = async (work: () => Promise<unknown>) => {
    try {
      await work();
      return 'allowed' as const;
    } catch (error) {
      if (isClusterError(error, 'forbidden') && /needs the approval/.test(error.message)) return 'refused' as const;
      if (isClusterError(error, 'invalid')) return 'invalid' as const;
      throw error;
    }
  };
  await fc.assert(
    fc.asyncProperty(change, async ({ before, after }) => {
      index += 1;
      const name = `random-${index}`;
      const path = pathOf('featureflags', name);
      const create = {
        method: 'POST',
        path: pathOf('featureflags'),
        body: aFlag(`${instance.home}/${name}`, before),
      } as const;
      // Who administers the cluster bypasses the policy.
      if ((await attempt(() => admin.request(create))) === 'invalid') return;
      const { spec: present } = await world.read('featureflags', name);
      const body = [{ op: 'replace', path: '/spec', value: after }];
      const patch = { method: 'PATCH', path, contentType: 'application/json-patch+json', body } as const;
      const query = { dryRun: 'All' };
      // The API server leaves out the null of a field that takes none.
      let asStored: FlagSpec | undefined;
      await attempt(async () => {
        const stored = (await admin.request({ ...patch, query })) as Stored;
        asStored = stored.spec;
      });
      const result = await attempt(() => as('ada').request({ ...patch, query }));
      if (result === 'invalid' || asStored === undefined) return;
      counts[result] += 1;
      const isRefused = refusedByFreeze({ before: present, after: asStored }).includes('production');
      expect(result, JSON.stringify({ before: present, after: asStored })).toBe(isRefused ? 'refused' : 'allowed');
    }),
    { numRuns: RUNS },
  );
  expect(counts.refused).toBeGreaterThan(RUNS / 10);
  expect(counts.allowed).toBeGreaterThan(RUNS / 10);
});
